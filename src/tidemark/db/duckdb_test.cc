#include "tidemark/db/duckdb.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tidemark/base/error.h"
#include "tidemark/os/temp_directory.h"

namespace tidemark::db {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class DuckDb : public testing::Test {
 protected:
  fs::path file(std::string_view name) const { return folder_ / name; }
  static std::string text_of(DuckDbConnection& connection, std::string_view sql) {
    DuckDbRows rows = connection.query(sql);
    return rows.next() ? std::string(rows.text(0)) : "no row";
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

 private:
  os::TempDirectory folder_;
};

TEST_F(DuckDb, RowsComeBackTypedAcrossChunks) {
  const auto database = DuckDbDatabase::open({});
  const auto connection = database->connect();
  DuckDbRows rows = connection->query(
      "SELECT i, CASE WHEN i % 3 = 0 THEN NULL ELSE 'number ' || i END FROM range(5000) AS r(i)");
  ASSERT_EQ(rows.column_count(), 2u);
  for (int64_t i = 0; i < 5000; ++i) {
    ASSERT_TRUE(rows.next());
    EXPECT_EQ(rows.integer(0), i);
    ASSERT_EQ(rows.is_null(1), i % 3 == 0);
    if (i % 3 == 0) continue;
    EXPECT_EQ(rows.text(1), "number " + std::to_string(i));
  }
  EXPECT_FALSE(rows.next());
  EXPECT_FALSE(rows.next());
}

TEST_F(DuckDb, ParametersOfEveryKindArriveUnchanged) {
  const auto database = DuckDbDatabase::open({});
  const auto connection = database->connect();
  const Time time{std::chrono::microseconds(1'704'164'645'678'900)};
  DuckDbRows rows = connection->query("SELECT ?, ?, CAST(? AS VARCHAR), ? IS NULL",
                                      {std::string_view("a'\0\"b", 5), int64_t{-7}, time, nullptr});
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.text(0), std::string_view("a'\0\"b", 5));
  EXPECT_EQ(rows.integer(1), -7);
  EXPECT_EQ(rows.text(2), "2024-01-02 03:04:05.6789+00");
}

TEST_F(DuckDb, ExecuteCountsChangedRows) {
  const auto database = DuckDbDatabase::open({});
  const auto connection = database->connect();
  connection->execute("CREATE TABLE t (a BIGINT)");
  EXPECT_EQ(connection->execute("INSERT INTO t SELECT * FROM range(7)"), 7u);
  EXPECT_EQ(connection->execute("DELETE FROM t WHERE a < 3"), 3u);
}

TEST_F(DuckDb, AValueOfAnotherTypeIsNotReinterpreted) {
  const auto database = DuckDbDatabase::open({});
  const auto connection = database->connect();
  DuckDbRows rows = connection->query("SELECT 1::INTEGER, DATE '2024-01-02'");
  ASSERT_TRUE(rows.next());
  EXPECT_THROW(rows.integer(0), Error);
  EXPECT_THROW(rows.text(1), Error);
}

TEST_F(DuckDb, AFailedStatementSaysWhatDuckDbSays) {
  const auto database = DuckDbDatabase::open({});
  const auto connection = database->connect();
  const Error error = error_of([&] { connection->execute("SELECT * FROM nowhere"); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalid);
  EXPECT_THAT(error.message(), HasSubstr("nowhere"));
}

TEST_F(DuckDb, ClosingRollsBackWhatWasNotCommitted) {
  {
    const auto database = DuckDbDatabase::open({.file = file("a.duckdb")});
    const auto connection = database->connect();
    connection->execute("CREATE TABLE t (a BIGINT)");
    connection->execute("BEGIN TRANSACTION");
    connection->execute("INSERT INTO t VALUES (1)");
  }
  const auto database = DuckDbDatabase::open({.file = file("a.duckdb"), .is_read_only = true});
  DuckDbRows rows = database->connect()->query("SELECT count(*) FROM t");
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.integer(0), 0);
}

TEST_F(DuckDb, AReaderDoesNotWrite) {
  DuckDbDatabase::open({.file = file("a.duckdb")});
  const auto database = DuckDbDatabase::open({.file = file("a.duckdb"), .is_read_only = true});
  EXPECT_THROW(database->connect()->execute("CREATE TABLE t (a BIGINT)"), Error);
}

TEST_F(DuckDb, MissingFilesAndFoldersAreNamed) {
  const Error no_file =
      error_of([&] { DuckDbDatabase::open({.file = file("no.duckdb"), .is_read_only = true}); });
  EXPECT_EQ(no_file.code(), ErrorCode::kNotFound);
  EXPECT_THAT(no_file.message(), HasSubstr("no.duckdb"));
  EXPECT_FALSE(fs::exists(file("no.duckdb")));

  const Error no_folder = error_of([&] { DuckDbDatabase::open({.file = file("none/a.duckdb")}); });
  EXPECT_EQ(no_folder.code(), ErrorCode::kNotFound);
  EXPECT_THAT(no_folder.message(), HasSubstr("none"));
}

TEST_F(DuckDb, AnotherKindOfFileIsNotTouched) {
  std::ofstream(file("text.duckdb")) << "hello";
  for (const size_t row_group_size : {0, 2048}) {
    const Error error = error_of([&] {
      DuckDbDatabase::open({.file = file("text.duckdb"), .row_group_size = row_group_size});
    });
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
  }
  EXPECT_EQ(fs::file_size(file("text.duckdb")), 5u);
}

TEST_F(DuckDb, TheSameFileWithOtherOptionsIsLockedWithinOneProcessToo) {
  for (const size_t row_group_size : {0, 2048}) {
    const auto writer =
        DuckDbDatabase::open({.file = file("a.duckdb"), .row_group_size = row_group_size});
    const Error error =
        error_of([&] { DuckDbDatabase::open({.file = file("a.duckdb"), .is_read_only = true}); });
    EXPECT_EQ(error.code(), ErrorCode::kLocked);
  }
}

TEST_F(DuckDb, NewFilesTakeTheStorageVersionThatIsAskedFor) {
  constexpr std::string_view kVersion =
      "SELECT tags['storage_version'] FROM duckdb_databases() WHERE database_name = 'a'";
  const auto old_version =
      DuckDbDatabase::open({.file = file("a.duckdb"), .storage_version = "v1.0.0"});
  EXPECT_THAT(text_of(*old_version->connect(), kVersion), HasSubstr("v1.0.0"));
}

TEST_F(DuckDb, RowGroupsOfAnotherSizeAreWrittenIntoNewAndOldFiles) {
  const auto row_groups = [&](std::string_view table) {
    const auto reader = DuckDbDatabase::open({.file = file("a.duckdb"), .is_read_only = true});
    DuckDbRows rows = reader->connect()->query(
        fmt::format("SELECT count(DISTINCT row_group_id) FROM pragma_storage_info('{}')", table));
    return rows.next() ? rows.integer(0) : -1;
  };
  {
    const auto database = DuckDbDatabase::open({.file = file("a.duckdb")});
    database->connect()->execute("CREATE TABLE large AS SELECT * FROM range(10000)");
  }
  {
    const auto database = DuckDbDatabase::open({.file = file("a.duckdb"), .row_group_size = 2048});
    database->connect()->execute("CREATE TABLE small AS SELECT * FROM range(10000)");
  }
  EXPECT_EQ(row_groups("large"), 1);
  EXPECT_EQ(row_groups("small"), 5);
  EXPECT_FALSE(fs::exists(file("a.duckdb.wal")));
}

TEST_F(DuckDb, AnyFileNameCanHaveItsOwnRowGroups) {
  for (const std::string_view name :
       {"memory.duckdb", "main.duckdb", "system.duckdb", "temp.duckdb", "it's \"so\".db"}) {
    const DuckDbOptions options = {.file = file(name), .row_group_size = 2048};
    DuckDbDatabase::open(options)->connect()->execute("CREATE TABLE t AS SELECT 'kept' AS a");
    EXPECT_EQ(text_of(*DuckDbDatabase::open(options)->connect(), "FROM t"), "kept") << name;
    EXPECT_EQ(text_of(*DuckDbDatabase::open({.file = file(name)})->connect(), "FROM t"), "kept");
  }
}

TEST_F(DuckDb, ThoseWhoOpenAFileTogetherShareIt) {
  const DuckDbOptions options = {.file = file("a.duckdb"), .row_group_size = 2048};
  const auto first = DuckDbDatabase::open(options);
  first->connect()->execute("CREATE TABLE t AS SELECT 'one' AS a");
  EXPECT_EQ(text_of(*DuckDbDatabase::open(options)->connect(), "FROM t"), "one");
}

TEST_F(DuckDb, RowGroupsOfAnotherSizeChangeNoOtherOption) {
  const auto database = DuckDbDatabase::open(
      {.file = file("a.duckdb"), .storage_version = "v1.0.0", .row_group_size = 2048});
  const auto connection = database->connect();
  EXPECT_THAT(text_of(*connection,
                      "SELECT tags['storage_version'] FROM duckdb_databases()"
                      " WHERE database_name = 'a'"),
              HasSubstr("v1.0.0"));
  EXPECT_EQ(text_of(*connection, "SELECT current_setting('temp_directory')"),
            file("a.duckdb.tmp").string());
}

TEST_F(DuckDb, SettingsThatDuckDbDoesNotTakeAreNamed) {
  const Error error = error_of([] { DuckDbDatabase::open({.memory_limit = "much"}); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalid);
  EXPECT_THAT(error.message(), HasSubstr("much"));
}

TEST_F(DuckDb, AMissingLibraryIsNamedWithTheWayToSetIt) {
  const Error error = error_of([&] { DuckDbDatabase::open({.library = file("libduckdb.so")}); });
  EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  EXPECT_THAT(error.message(), HasSubstr(file("libduckdb.so").string()));
  EXPECT_THAT(error.message(), HasSubstr("TIDEMARK_DUCKDB_LIBRARY"));
}

}  // namespace
}  // namespace tidemark::db
