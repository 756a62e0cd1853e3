#include "tidemark/db/postgres_error.h"

#include <gtest/gtest.h>

namespace tidemark::db {
namespace {

ErrorCode code_of(std::string_view sqlstate) { return postgres_error(sqlstate, "x").code(); }

TEST(PostgresError, FollowsTheSqlstate) {
  EXPECT_EQ(code_of("55P03"), ErrorCode::kLocked);
  EXPECT_EQ(code_of("57014"), ErrorCode::kTimeout);
  EXPECT_EQ(code_of("57P01"), ErrorCode::kUnavailable);
  EXPECT_EQ(code_of("53100"), ErrorCode::kUnavailable);
  EXPECT_EQ(code_of("23505"), ErrorCode::kConflict);
  EXPECT_EQ(code_of("23502"), ErrorCode::kInvalid);
  EXPECT_EQ(code_of("40001"), ErrorCode::kConflict);
  EXPECT_EQ(code_of("40P01"), ErrorCode::kConflict);
  EXPECT_EQ(code_of("42P01"), ErrorCode::kNotFound);
  EXPECT_EQ(code_of("42601"), ErrorCode::kInvalid);
  EXPECT_EQ(code_of("42501"), ErrorCode::kUnauthorized);
  EXPECT_EQ(code_of("25006"), ErrorCode::kUnauthorized);
  EXPECT_EQ(code_of("XX001"), ErrorCode::kCorrupt);
  EXPECT_EQ(code_of("XX000"), ErrorCode::kInternal);
}

TEST(PostgresConnectError, ReadsTheServersStateOutOfTheText) {
  const Error error = postgres_connect_error(
      "connection to server at \"127.0.0.1\", port 5432 failed: FATAL:  28P01: password "
      "authentication failed for user \"u\"\nLOCATION:  auth_failed, auth.c:326\n");
  EXPECT_EQ(error.code(), ErrorCode::kUnauthorized);
  EXPECT_EQ(error.message(), "PostgreSQL: password authentication failed for user \"u\"");
}

TEST(PostgresConnectError, ReadsItWhateverTheServersLanguageCallsTheSeverity) {
  EXPECT_EQ(postgres_connect_error("connection to server at \"h\" failed: FATALE:  3D000: il "
                                   "database \"x\" non esiste\nPOSIZIONE:  x\n")
                .code(),
            ErrorCode::kNotFound);
}

TEST(PostgresConnectError, WithoutAStateItIsLibpqsOwn) {
  const Error refused = postgres_connect_error(
      "connection to server at \"127.0.0.1\", port 1 failed: Connection refused\n\tIs the server "
      "running on that host and accepting TCP/IP connections?\n");
  EXPECT_EQ(refused.code(), ErrorCode::kUnavailable);
  EXPECT_EQ(refused.message(),
            "PostgreSQL: connection to server at \"127.0.0.1\", port 1 failed: Connection refused; "
            "Is the server running on that host and accepting TCP/IP connections?");
  EXPECT_EQ(postgres_connect_error("invalid connection option \"foo\"\n").code(),
            ErrorCode::kInvalid);
  EXPECT_EQ(postgres_connect_error("invalid sslmode value: \"x\"\n").code(), ErrorCode::kInvalid);
  EXPECT_EQ(postgres_connect_error("fe_sendauth: no password supplied\n").code(),
            ErrorCode::kUnauthorized);
}

}  // namespace
}  // namespace tidemark::db
