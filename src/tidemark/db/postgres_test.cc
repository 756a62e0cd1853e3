#include "tidemark/db/postgres.h"

#include <future>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "tidemark/base/error.h"
#include "tidemark/db/test_postgres.h"
#include "tidemark/os/file_descriptor.h"

namespace tidemark::db {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Postgres : public testing::Test {
 protected:
  std::unique_ptr<SqlConnection> connect(std::chrono::milliseconds lock_timeout = 10s,
                                         std::chrono::milliseconds answer_timeout = 30s) const {
    return connect_postgres({.url = std::get<PostgresUrl>(parse_database_url(server_.url())),
                             .lock_timeout = lock_timeout,
                             .answer_timeout = answer_timeout},
                            cancellation_);
  }

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

  TestPostgres server_;
  Cancellation cancellation_;
};

// Takes connections and never says a word.
class SilentServer {
 public:
  SilentServer() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket_.get(), generic, size), 0);
    EXPECT_EQ(::listen(socket_.get(), 1), 0);
    EXPECT_EQ(::getsockname(socket_.get(), generic, &size), 0);
    port_ = ntohs(address.sin_port);
  }
  std::string port() const { return std::to_string(port_); }

 private:
  os::FileDescriptor socket_;
  uint16_t port_ = 0;
};

TEST_F(Postgres, ValuesOfEveryKindComeBackUnchanged) {
  const auto connection = connect();
  connection->run_script("CREATE TABLE t (i bigint, j integer, s varchar, b bytea, n text)");
  const std::string bytes("\x00\xff\n", 3);
  const int64_t changed =
      connection->execute("INSERT INTO t VALUES ($1, $2, $3, $4, $5)",
                          {int64_t{-9'000'000'000}, int64_t{-2}, std::string_view("caf\u00e9"),
                           SqlBytes{bytes}, nullptr});
  EXPECT_EQ(changed, 1);
  int rows = 0;
  connection->query("SELECT i, j, s, b, n FROM t", {}, [&](const SqlRow& row) {
    ++rows;
    EXPECT_EQ(row.integer(0), -9'000'000'000);
    EXPECT_EQ(row.integer(1), -2);
    EXPECT_EQ(row.text(2), "caf\u00e9");
    EXPECT_EQ(row.bytes(3), bytes);
    EXPECT_TRUE(row.is_null(4));
  });
  EXPECT_EQ(rows, 1);
}

TEST_F(Postgres, ManyRowsComeOneByOne) {
  const auto connection = connect();
  int64_t sum = 0;
  connection->query("SELECT i FROM generate_series(1, 20000) AS r(i)", {},
                    [&](const SqlRow& row) { sum += row.integer(0); });
  EXPECT_EQ(sum, 20000 * 20001 / 2);
  EXPECT_TRUE(connection->is_usable());
}

TEST_F(Postgres, ALargeValueIsSentWhole) {
  const auto connection = connect();
  const std::string large(20'000'000, 'x');
  connection->query("SELECT length($1::text)", {std::string_view(large)},
                    [&](const SqlRow& row) { EXPECT_EQ(row.integer(0), 20'000'000); });
}

TEST_F(Postgres, TextWithANulIsRefusedAndNotCut) {
  const auto connection = connect();
  const auto asking = [&] {
    connection->query("SELECT $1::text", {std::string_view("a\0b", 3)}, [](const SqlRow&) {});
  };
  EXPECT_EQ(error_of(asking).code(), ErrorCode::kInvalid);
  EXPECT_TRUE(connection->is_usable());
}

TEST_F(Postgres, AFailedStatementLeavesTheConnectionUsable) {
  const auto connection = connect();
  const Error error = error_of([&] { connection->execute("SELECT * FROM missing", {}); });
  EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  EXPECT_EQ(error.message(), "PostgreSQL: relation \"missing\" does not exist");
  EXPECT_TRUE(connection->is_usable());
}

TEST_F(Postgres, ATransactionThatIsNotCommittedLeavesNothing) {
  const auto connection = connect();
  connection->run_script("CREATE TABLE t (s text)");
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
  EXPECT_THAT(texts(*connect(), "SELECT s FROM t"), ElementsAre("kept"));
}

TEST_F(Postgres, ACommitAfterAFailedStatementIsAnError) {
  const auto connection = connect();
  SqlTransaction transaction(*connection);
  EXPECT_EQ(error_of([&] { connection->execute("SELECT 1 / 0", {}); }).code(), ErrorCode::kInvalid);
  EXPECT_EQ(error_of([&] { transaction.commit(); }).code(), ErrorCode::kInternal);
}

TEST_F(Postgres, ALockThatIsHeldForTooLongIsAnError) {
  const auto holder = connect();
  holder->run_script("CREATE TABLE t (s text)");
  const SqlTransaction holds(*holder);
  holder->run_script("LOCK TABLE t IN ACCESS EXCLUSIVE MODE");
  const auto waiter = connect(50ms);
  const SqlTransaction waits(*waiter);
  EXPECT_EQ(error_of([&] { waiter->execute("INSERT INTO t VALUES ('x')", {}); }).code(),
            ErrorCode::kLocked);
}

TEST_F(Postgres, AClientThatStopsInATransactionIsOutwaited) {
  const auto stopped = connect(400ms);
  const auto next = connect(10s);
  stopped->run_script("CREATE TABLE t (n INTEGER)");
  stopped->begin();
  stopped->run_script("LOCK TABLE t IN ACCESS EXCLUSIVE MODE");
  next->begin();
  EXPECT_EQ(next->execute("INSERT INTO t VALUES (1)", {}), 1);
  next->commit();
  const Error error = error_of([&] { stopped->commit(); });
  EXPECT_THAT(error.code(), testing::AnyOf(ErrorCode::kTimeout, ErrorCode::kUnavailable));
}

TEST_F(Postgres, AnAnswerThatDoesNotComeEndsTheConnection) {
  const auto connection = connect(10s, 100ms);
  EXPECT_EQ(error_of([&] { connection->execute("SELECT pg_sleep(20)", {}); }).code(),
            ErrorCode::kTimeout);
  EXPECT_FALSE(connection->is_usable());
  EXPECT_EQ(error_of([&] { connection->execute("SELECT 1", {}); }).code(), ErrorCode::kUnavailable);
}

TEST_F(Postgres, CancellationEndsAWait) {
  const auto connection = connect();
  std::future<void> cancels = std::async(std::launch::async, [&] {
    std::this_thread::sleep_for(20ms);
    cancellation_.cancel();
  });
  EXPECT_EQ(error_of([&] { connection->execute("SELECT pg_sleep(20)", {}); }).code(),
            ErrorCode::kCancelled);
}

TEST_F(Postgres, AVisitorThatThrowsEndsTheConnection) {
  const auto connection = connect();
  const auto visiting = [&] {
    connection->query("SELECT * FROM generate_series(1, 100000)", {},
                      [](const SqlRow&) { throw Error(ErrorCode::kConflict, "enough"); });
  };
  EXPECT_EQ(error_of(visiting).message(), "enough");
  EXPECT_FALSE(connection->is_usable());
}

TEST_F(Postgres, AConnectionThatTheServerClosedIsNotUsable) {
  const auto connection = connect();
  int64_t pid = 0;
  connection->query("SELECT pg_backend_pid()", {},
                    [&](const SqlRow& row) { pid = row.integer(0); });
  TestPostgres::admin()->execute("SELECT pg_terminate_backend($1::integer, 5000)", {pid});
  EXPECT_FALSE(connection->is_usable());
}

TEST_F(Postgres, AWrongPasswordIsNamedWithoutItsText) {
  PostgresUrl url = std::get<PostgresUrl>(parse_database_url(server_.url()));
  url.password = Secret("hunter2");
  const Error error = error_of([&] { connect_postgres({.url = url}, cancellation_); });
  EXPECT_EQ(error.code(), ErrorCode::kUnauthorized);
  EXPECT_THAT(error.message(), HasSubstr("password authentication failed"));
  EXPECT_THAT(error.message(), Not(HasSubstr("hunter2")));
}

TEST_F(Postgres, ADatabaseThatIsNotThereIsNotFound) {
  PostgresUrl url = std::get<PostgresUrl>(parse_database_url(server_.url()));
  url.database = "nowhere";
  EXPECT_EQ(error_of([&] { connect_postgres({.url = url}, cancellation_); }).code(),
            ErrorCode::kNotFound);
}

TEST_F(Postgres, AParameterThatLibpqDoesNotKnowIsNamed) {
  const PostgresUrl url{.host = "127.0.0.1", .parameters = {{"colour", "blue"}}};
  const Error error = error_of([&] { connect_postgres({.url = url}, cancellation_); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalid);
  EXPECT_THAT(error.message(), HasSubstr("colour"));
}

TEST_F(Postgres, AServerThatIsNotThereIsUnavailable) {
  const PostgresUrl url{.host = "127.0.0.1", .port = "1"};
  EXPECT_EQ(error_of([&] { connect_postgres({.url = url}, cancellation_); }).code(),
            ErrorCode::kUnavailable);
}

TEST_F(Postgres, AServerThatSaysNothingIsATimeout) {
  const SilentServer server;
  const PostgresUrl url{.host = "127.0.0.1", .port = server.port()};
  const auto connecting = [&] {
    connect_postgres({.url = url, .connect_timeout = 100ms}, cancellation_);
  };
  EXPECT_EQ(error_of(connecting).code(), ErrorCode::kTimeout);
}

TEST_F(Postgres, CancellationEndsAConnect) {
  const SilentServer server;
  const PostgresUrl url{.host = "127.0.0.1", .port = server.port()};
  cancellation_.cancel();
  EXPECT_EQ(error_of([&] { connect_postgres({.url = url}, cancellation_); }).code(),
            ErrorCode::kCancelled);
}

}  // namespace
}  // namespace tidemark::db
