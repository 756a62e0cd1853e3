#include "tidemark/state/system_database.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/state/test_database.h"

namespace tidemark::state {
namespace {

using namespace std::chrono_literals;
using db::SqlDialect;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

void do_nothing(db::SqlConnection&) {}

class SystemDatabaseTest : public testing::TestWithParam<SqlDialect> {
 protected:
  bool is_sqlite() const { return GetParam() == SqlDialect::kSqlite; }

  TestDatabase place_{GetParam()};
  std::unique_ptr<SystemDatabase> database_ = place_.open();
};
INSTANTIATE_TEST_SUITE_P(Databases, SystemDatabaseTest,
                         testing::Values(SqlDialect::kSqlite, SqlDialect::kPostgres),
                         name_of_dialect);

TEST_P(SystemDatabaseTest, ReadingMakesNothing) {
  EXPECT_FALSE(database_->read("load", [](db::SqlConnection&) { ADD_FAILURE(); }));
  EXPECT_FALSE(database_->write_if_there("save", [](db::SqlConnection&) { ADD_FAILURE(); }));
  if (is_sqlite()) {
    EXPECT_FALSE(os::path_exists(place_.file().parent_path()));
  } else {
    EXPECT_THAT(texts(*place_.connect(), "SELECT relname FROM pg_class WHERE relnamespace = '" +
                                             place_.schema() + "'::regnamespace"),
                IsEmpty());
  }
}

TEST_P(SystemDatabaseTest, WritingMakesWhatIsMissing) {
  database_->write("save", [](db::SqlConnection& connection) {
    connection.execute("INSERT INTO state (state_id) VALUES ('a')", {});
  });
  EXPECT_THAT(texts(*place_.connect(), "SELECT state_id FROM state"), ElementsAre("a"));
  if (is_sqlite()) {
    EXPECT_THAT(texts(*place_.connect(), "PRAGMA journal_mode"), ElementsAre("wal"));
  }
}

TEST_P(SystemDatabaseTest, WhatOthersMadeMeanwhileIsSeen) {
  EXPECT_FALSE(database_->read("load", do_nothing));
  place_.open()->write("make", do_nothing);
  EXPECT_TRUE(database_->read("load", do_nothing));
}

TEST_P(SystemDatabaseTest, OfANewerMeltanoIsReadButNotWritten) {
  database_->write("make", do_nothing);
  place_.connect()->run_script("UPDATE alembic_version SET version_num = 'ffffffffffff'");
  const auto newer = place_.open();
  EXPECT_TRUE(newer->read("load", do_nothing));
  const Error error = error_of([&] { newer->write("save 'a'", do_nothing); });
  EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(error.message(), HasSubstr("save 'a' in " + newer->describe()));
  EXPECT_EQ(error_of([&] { newer->write_if_there("save", do_nothing); }).code(),
            ErrorCode::kUnsupported);
}

TEST_P(SystemDatabaseTest, WorkMayAskAgain) {
  database_->write("save", [&](db::SqlConnection&) {
    EXPECT_TRUE(database_->read("load", [&](db::SqlConnection& inner) {
      EXPECT_THAT(texts(inner, "SELECT version_num FROM alembic_version"),
                  ElementsAre("c0efb3c314eb"));
    }));
  });
}

TEST_P(SystemDatabaseTest, ATransactionThatWorkLeavesOpenIsRolledBack) {
  const auto failing = [&] {
    database_->write("save", [](db::SqlConnection& connection) {
      const db::SqlTransaction transaction(connection);
      connection.execute("INSERT INTO state (state_id) VALUES ('a')", {});
      throw Error(ErrorCode::kConflict, "no");
    });
  };
  EXPECT_EQ(error_of(failing).code(), ErrorCode::kConflict);
  database_->read("load", [](db::SqlConnection& connection) {
    EXPECT_THAT(texts(connection, "SELECT state_id FROM state"), IsEmpty());
  });
}

TEST_P(SystemDatabaseTest, ItsTimeIsThatOfToday) {
  const auto apart = database_->now() - place_.context().clock.now();
  EXPECT_LT(std::chrono::abs(apart), 60s);
}

TEST(SystemDatabaseOnSqlite, AFileThatWasReplacedIsOpenedAgain) {
  const TestDatabase place(SqlDialect::kSqlite);
  const auto database = place.open();
  database->write("make", do_nothing);
  os::remove_tree(place.file().parent_path());
  EXPECT_FALSE(database->read("load", do_nothing));
  database->write("make", do_nothing);
  EXPECT_TRUE(os::path_exists(place.file()));
}

TEST(SystemDatabaseOnSqlite, ALockThatIsHeldIsNamedAndNotWaitedForForEver) {
  const TestDatabase place(SqlDialect::kSqlite);
  place.open()->write("make", do_nothing);
  SystemDatabaseOptions options = place.options();
  options.lock_timeout = 50ms;
  SystemDatabase database(options, place.context());
  const auto holder = place.connect();
  holder->run_script("BEGIN EXCLUSIVE");
  EXPECT_TRUE(database.read("load", do_nothing));
  const Error error = error_of([&] {
    database.write("save 'a'", [](db::SqlConnection& connection) { connection.begin(); });
  });
  EXPECT_EQ(error.code(), ErrorCode::kLocked);
  EXPECT_EQ(error.message(),
            "save 'a' in sqlite:///" + place.file().string() + ": SQLite: database is locked");
}

TEST(SystemDatabaseOnPostgres, AnAnswerComesSoonAfterTheTimeForLocksOrNotAtAll) {
  const TestDatabase place(SqlDialect::kPostgres);
  SystemDatabaseOptions options = place.options();
  options.lock_timeout = 50ms;
  SystemDatabase database(options, place.context());
  const auto start = std::chrono::steady_clock::now();
  const Error error = error_of([&] {
    database.write("save 'a'", [](db::SqlConnection& connection) {
      connection.run_script("SELECT pg_sleep(20)");
    });
  });
  EXPECT_EQ(error.code(), ErrorCode::kTimeout);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 10s);
}

TEST(SystemDatabaseOnPostgres, WhatReadsGoesOnWhenItsConnectionBreaksOnce) {
  const TestDatabase place(SqlDialect::kPostgres);
  const auto database = place.open();
  database->write("make", do_nothing);
  int calls = 0;
  int breaks = 1;
  const auto work = [&](db::SqlConnection& connection) {
    if (++calls <= breaks) connection.run_script("SELECT pg_terminate_backend(pg_backend_pid())");
  };
  EXPECT_TRUE(database->read("load 'a'", work));
  EXPECT_EQ(calls, 2);
  breaks = 9;
  const Error error = error_of([&] { database->read("load 'a'", work); });
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
  EXPECT_THAT(error.message(), testing::StartsWith("load 'a' in postgresql://"));
}

TEST(SystemDatabaseOnSqlite, OtherFilesAreNotTakenForOne) {
  const TestDatabase place(SqlDialect::kSqlite);
  os::make_directories(place.file().parent_path());
  os::write_new_file(place.file(), std::string(5000, 'x'));
  EXPECT_EQ(error_of([&] { place.open()->read("load", do_nothing); }).code(), ErrorCode::kInvalid);
  EXPECT_EQ(error_of([&] { place.open()->write("save", do_nothing); }).code(), ErrorCode::kInvalid);
  EXPECT_EQ(os::read_file(place.file()), std::string(5000, 'x'));
}

class NotingSleeper final : public Sleeper {
 public:
  void sleep(std::chrono::milliseconds time, const Cancellation&) override { slept += time; }

  std::chrono::milliseconds slept{0};
};

class FirstConnect : public testing::Test {
 protected:
  // Nobody listens there.
  SystemDatabase database(int max_retries) {
    return SystemDatabase(
        {.uri = Secret("postgresql://user:hunter2@127.0.0.1:1/x"),
         .max_retries = max_retries,
         .retry_interval = 7s,
         .notice = [this](std::string_view text) { notices_.emplace_back(text); }},
        context_);
  }

  SystemClock clock_;
  NotingSleeper sleeper_;
  SystemRandom random_;
  os::SystemProcesses processes_;
  Cancellation cancellation_;
  Context context_{.clock = clock_,
                   .sleeper = sleeper_,
                   .random = random_,
                   .processes = processes_,
                   .cancellation = cancellation_};
  std::vector<std::string> notices_;
};

TEST_F(FirstConnect, IsTriedAsOftenAsTheSettingsSay) {
  SystemDatabase unreachable = database(2);
  const Error error = error_of([&] { unreachable.read("load 'a'", do_nothing); });
  EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
  EXPECT_THAT(error.message(),
              HasSubstr("load 'a' in postgresql://127.0.0.1:1/x: no connection after 3 attempts"));
  EXPECT_THAT(error.message(), Not(HasSubstr("hunter2")));
  EXPECT_THAT(notices_, ElementsAre("DB connection failed. Will retry after 7s. Attempt 1/2",
                                    "DB connection failed. Will retry after 7s. Attempt 2/2"));
  EXPECT_EQ(sleeper_.slept, 14s);
}

TEST_F(FirstConnect, WithAWrongPasswordIsNotTriedAgain) {
  std::string url = db::TestPostgres::server_url();
  url.replace(url.find("tidemark:tidemark@"), 18, "tidemark:wrong@");
  SystemDatabase refused({.uri = Secret(url)}, context_);
  EXPECT_EQ(error_of([&] { refused.read("load", do_nothing); }).code(), ErrorCode::kUnauthorized);
  EXPECT_EQ(sleeper_.slept, 0s);
}

}  // namespace
}  // namespace tidemark::state
