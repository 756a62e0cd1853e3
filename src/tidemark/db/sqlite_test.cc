#include "tidemark/db/sqlite.h"

#include <future>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/os/files.h"
#include "tidemark/os/temp_directory.h"

namespace tidemark::db {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

class Sqlite : public testing::Test {
 protected:
  std::unique_ptr<SqlConnection> open(std::chrono::milliseconds busy_timeout = 10s) const {
    return open_sqlite({.file = file(), .creates = true, .busy_timeout = busy_timeout},
                       cancellation_);
  }
  os::Path file() const { return folder_ / "m.db"; }

  static std::vector<std::string> texts(SqlConnection& connection, std::string_view sql) {
    std::vector<std::string> found;
    connection.query(sql, {}, [&](const SqlRow& row) { found.emplace_back(row.text(0)); });
    return found;
  }

  template <typename Body>
  static Error error_of(Body body) {
    try {
      body();
    } catch (const Error& error) {
      return error;
    }
    return Error(ErrorCode::kInternal, "nothing was thrown");
  }

  os::TempDirectory folder_;
  Cancellation cancellation_;
};

TEST_F(Sqlite, ValuesOfEveryKindComeBackUnchanged) {
  const auto connection = open();
  connection->run_script("CREATE TABLE t (i INTEGER, s TEXT, b BLOB, n TEXT)");
  const std::string bytes("\x00\xff\n", 3);
  const int64_t changed = connection->execute(
      "INSERT INTO t VALUES ($1, $2, $3, $4)",
      {int64_t{-9'000'000'000}, std::string_view("caf\u00e9"), SqlBytes{bytes}, nullptr});
  EXPECT_EQ(changed, 1);
  int rows = 0;
  connection->query("SELECT i, s, b, n FROM t", {}, [&](const SqlRow& row) {
    ++rows;
    EXPECT_EQ(row.integer(0), -9'000'000'000);
    EXPECT_EQ(row.text(1), "caf\u00e9");
    EXPECT_EQ(row.bytes(2), bytes);
    EXPECT_TRUE(row.is_null(3));
  });
  EXPECT_EQ(rows, 1);
}

TEST_F(Sqlite, EmptyTextAndEmptyBytesAreNotNull) {
  const auto connection = open();
  connection->run_script("CREATE TABLE t (s TEXT, b BLOB)");
  connection->execute("INSERT INTO t VALUES ($1, $2)", {std::string_view(), SqlBytes{}});
  connection->query("SELECT s, b FROM t", {}, [](const SqlRow& row) {
    EXPECT_FALSE(row.is_null(0));
    EXPECT_FALSE(row.is_null(1));
    EXPECT_EQ(row.text(0), "");
    EXPECT_EQ(row.bytes(1), "");
  });
}

TEST_F(Sqlite, AParameterMayStandTwice) {
  const auto connection = open();
  connection->run_script("CREATE TABLE t (a TEXT, b TEXT, c TEXT)");
  connection->execute("INSERT INTO t VALUES ($1, $2, $1)",
                      {std::string_view("x"), std::string_view("y")});
  EXPECT_THAT(texts(*connection, "SELECT a || b || c FROM t"), ElementsAre("xyx"));
}

TEST_F(Sqlite, AColumnOfAnotherTypeIsCorrupt) {
  const auto connection = open();
  connection->run_script("CREATE TABLE t (s VARCHAR); INSERT INTO t VALUES (x'00')");
  const Error error = error_of([&] { texts(*connection, "SELECT s FROM t"); });
  EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
  EXPECT_THAT(error.message(), HasSubstr("column s"));
}

TEST_F(Sqlite, AMissingFileIsMadeOnlyWhenAskedFor) {
  const auto opening = [&] { open_sqlite({.file = file()}, cancellation_); };
  EXPECT_EQ(error_of(opening).code(), ErrorCode::kNotFound);
  EXPECT_FALSE(os::path_exists(file()));
  open();
  EXPECT_TRUE(os::path_exists(file()));
}

TEST_F(Sqlite, AFileThatIsNoDatabaseIsNotTouched) {
  os::write_new_file(file(), "This is no database, however long it is. It is not one at all.");
  const auto reading = [&] { texts(*open(), "SELECT name FROM sqlite_master"); };
  EXPECT_EQ(error_of(reading).code(), ErrorCode::kInvalid);
  EXPECT_THAT(os::read_file(file()), HasSubstr("This is no database"));
}

TEST_F(Sqlite, ATransactionThatIsNotCommittedLeavesNothing) {
  const auto connection = open();
  connection->run_script("CREATE TABLE t (s TEXT)");
  {
    const SqlTransaction transaction(*connection);
    connection->execute("INSERT INTO t VALUES ('lost')", {});
  }
  EXPECT_TRUE(connection->is_usable());
  {
    SqlTransaction transaction(*connection);
    connection->execute("INSERT INTO t VALUES ('kept')", {});
    EXPECT_FALSE(connection->is_usable());
    transaction.commit();
  }
  EXPECT_THAT(texts(*open(), "SELECT s FROM t"), ElementsAre("kept"));
}

TEST_F(Sqlite, AVisitorThatThrowsLeavesTheConnectionUsable) {
  const auto connection = open();
  const auto visiting = [&] {
    connection->query("SELECT 1 UNION ALL SELECT 2", {},
                      [](const SqlRow&) { throw Error(ErrorCode::kCancelled, "enough"); });
  };
  EXPECT_EQ(error_of(visiting).message(), "enough");
  EXPECT_TRUE(connection->is_usable());
  EXPECT_THAT(texts(*connection, "SELECT 'on'"), ElementsAre("on"));
}

TEST_F(Sqlite, AWriterWaitsForAnother) {
  open()->run_script("CREATE TABLE t (i INTEGER); INSERT INTO t VALUES (0)");
  constexpr int kWriters = 8;
  constexpr int kUpdates = 25;
  std::vector<std::future<void>> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.push_back(std::async(std::launch::async, [&] {
      const auto connection = open(60s);
      for (int update = 0; update < kUpdates; ++update) {
        SqlTransaction transaction(*connection);
        connection->execute("UPDATE t SET i = i + 1", {});
        transaction.commit();
      }
    }));
  }
  for (std::future<void>& writer : writers) writer.get();
  open()->query("SELECT i FROM t", {},
                [](const SqlRow& row) { EXPECT_EQ(row.integer(0), kWriters * kUpdates); });
}

TEST_F(Sqlite, ALockThatIsHeldForTooLongIsAnError) {
  const auto holder = open();
  holder->run_script("CREATE TABLE t (s TEXT)");
  const auto waiter = open(50ms);
  holder->run_script("BEGIN EXCLUSIVE");
  EXPECT_EQ(error_of([&] { waiter->execute("INSERT INTO t VALUES ('x')", {}); }).code(),
            ErrorCode::kLocked);
}

TEST_F(Sqlite, CancellationEndsAWait) {
  const auto holder = open();
  const auto waiter = open(60s);
  holder->run_script("BEGIN EXCLUSIVE");
  std::future<void> cancels = std::async(std::launch::async, [&] {
    std::this_thread::sleep_for(20ms);
    cancellation_.cancel();
  });
  EXPECT_EQ(error_of([&] { waiter->begin(); }).code(), ErrorCode::kCancelled);
}

TEST_F(Sqlite, CancellationEndsAStatement) {
  const auto connection = open();
  cancellation_.cancel();
  const auto counting = [&] {
    texts(*connection,
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n");
  };
  EXPECT_EQ(error_of(counting).code(), ErrorCode::kCancelled);
}

TEST_F(Sqlite, AConnectionToAFileThatWasRemovedIsNotUsable) {
  const auto connection = open();
  connection->run_script("CREATE TABLE t (s TEXT)");
  EXPECT_TRUE(connection->is_usable());
  os::remove_file(file());
  EXPECT_FALSE(connection->is_usable());
}

}  // namespace
}  // namespace tidemark::db
