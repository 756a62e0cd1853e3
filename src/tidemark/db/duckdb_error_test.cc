#include "tidemark/db/duckdb_error.h"

#include <gtest/gtest.h>

namespace tidemark::db {
namespace {

TEST(DuckDbError, AHeldFileIsLockedAndTheHolderIsNamed) {
  const Error error = duckdb_error(
      "IO Error: Could not set lock on file \"/data/a.duckdb\": Conflicting lock is held in "
      "/usr/bin/python3 (PID 14654).");
  EXPECT_EQ(error.code(), ErrorCode::kLocked);
  EXPECT_NE(error.message().find("/usr/bin/python3 (PID 14654)"), std::string::npos);
}

TEST(DuckDbError, AFullDiskMayBeTriedAgainWhateverKindReportsIt) {
  EXPECT_EQ(duckdb_error("FATAL Error: Could not write file: No space left on device").code(),
            ErrorCode::kUnavailable);
  EXPECT_EQ(duckdb_error("IO Error: Could not write file: Input/output error").code(),
            ErrorCode::kUnavailable);
}

TEST(DuckDbError, WhatTheSystemRefusesIsNotTriedAgain) {
  EXPECT_EQ(duckdb_error("IO Error: Cannot open file \"/data/a.duckdb\": Permission denied").code(),
            ErrorCode::kUnauthorized);
  EXPECT_EQ(
      duckdb_error("IO Error: Cannot open file \"/data/a.duckdb\": Read-only file system").code(),
      ErrorCode::kUnauthorized);
}

TEST(DuckDbError, ValuesThatDoNotFitAreInvalid) {
  EXPECT_EQ(duckdb_error("Conversion Error: Type INT64 with value 300 can't be cast").code(),
            ErrorCode::kInvalid);
  EXPECT_EQ(duckdb_error("Constraint Error: NOT NULL constraint failed: t.a").code(),
            ErrorCode::kInvalid);
}

TEST(DuckDbError, LackOfMemoryIsKnown) {
  Error error = duckdb_error("Out of Memory Error: could not allocate block");
  EXPECT_EQ(error.code(), ErrorCode::kInvalid);
  error.add_context("table t");
  EXPECT_TRUE(is_out_of_memory(error));
  EXPECT_FALSE(is_out_of_memory(duckdb_error("IO Error: disk")));
}

TEST(DuckDbError, TheFormOfUncaughtFailuresReadsAsTheOthers) {
  const Error error = duckdb_error(
      R"({"exception_type":"Out of Memory","exception_message":"failed to allocate 32.0 KiB"})");
  EXPECT_EQ(error.message(), "DuckDB: Out of Memory Error: failed to allocate 32.0 KiB");
  EXPECT_EQ(error.code(), ErrorCode::kInvalid);
  EXPECT_TRUE(is_out_of_memory(error));
  EXPECT_EQ(duckdb_error(R"({"exception_type":1})").code(), ErrorCode::kInternal);
  EXPECT_EQ(duckdb_error(R"({"exception_type":)").code(), ErrorCode::kInternal);
}

TEST(DuckDbError, WhatIsUnknownIsInternal) {
  EXPECT_EQ(duckdb_error("INTERNAL Error: Attempted to dereference").code(), ErrorCode::kInternal);
}

}  // namespace
}  // namespace tidemark::db
