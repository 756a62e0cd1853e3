#include "tidemark/db/sqlite_error.h"

#include <cerrno>

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace tidemark::db {
namespace {

ErrorCode code_of(int extended_code, std::string_view message = "x", int system_error = 0) {
  return sqlite_error(extended_code, message, system_error).code();
}

TEST(SqliteError, TellsWhatIsWorthTryingAgainFromWhatIsNot) {
  EXPECT_EQ(code_of(SQLITE_BUSY), ErrorCode::kLocked);
  EXPECT_EQ(code_of(SQLITE_BUSY_SNAPSHOT), ErrorCode::kLocked);
  EXPECT_EQ(code_of(SQLITE_FULL), ErrorCode::kUnavailable);
  EXPECT_EQ(code_of(SQLITE_IOERR_WRITE, "disk I/O error", EIO), ErrorCode::kUnavailable);
  EXPECT_EQ(code_of(SQLITE_READONLY_DBMOVED), ErrorCode::kUnauthorized);
  EXPECT_EQ(code_of(SQLITE_INTERRUPT), ErrorCode::kCancelled);
  EXPECT_EQ(code_of(SQLITE_CORRUPT_INDEX), ErrorCode::kCorrupt);
  EXPECT_EQ(code_of(SQLITE_NOTADB), ErrorCode::kInvalid);
  EXPECT_EQ(code_of(SQLITE_MISUSE), ErrorCode::kInternal);
}

TEST(SqliteError, AFileThatDoesNotOpenIsWhatTheSystemSaysOfIt) {
  EXPECT_EQ(code_of(SQLITE_CANTOPEN, "unable to open database file", ENOENT), ErrorCode::kNotFound);
  EXPECT_EQ(code_of(SQLITE_CANTOPEN, "unable to open database file", EACCES),
            ErrorCode::kUnauthorized);
  EXPECT_EQ(code_of(SQLITE_CANTOPEN_ISDIR, "unable to open database file", EISDIR),
            ErrorCode::kInvalid);
  EXPECT_EQ(sqlite_error(SQLITE_CANTOPEN, "unable to open database file", ENOENT).message(),
            "SQLite: unable to open database file: No such file or directory");
}

TEST(SqliteError, KeysThatAreThereAlreadyAreConflictsOtherConstraintsAreNot) {
  EXPECT_EQ(code_of(SQLITE_CONSTRAINT_PRIMARYKEY), ErrorCode::kConflict);
  EXPECT_EQ(code_of(SQLITE_CONSTRAINT_UNIQUE), ErrorCode::kConflict);
  EXPECT_EQ(code_of(SQLITE_CONSTRAINT_NOTNULL), ErrorCode::kInvalid);
}

TEST(SqliteError, StatementsThatCannotRunAreToldApartByTheirText) {
  EXPECT_EQ(code_of(SQLITE_ERROR, "no such table: state"), ErrorCode::kNotFound);
  EXPECT_EQ(code_of(SQLITE_ERROR, "table state already exists"), ErrorCode::kConflict);
  EXPECT_EQ(code_of(SQLITE_ERROR, "near \"SELCT\": syntax error"), ErrorCode::kInvalid);
}

}  // namespace
}  // namespace tidemark::db
