#include "tidemark/db/database_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"

namespace tidemark::db {
namespace {

using testing::HasSubstr;
using testing::Not;

PostgresUrl postgres(std::string_view url) {
  return std::get<PostgresUrl>(parse_database_url(url));
}

std::string sqlite_file(std::string_view url) {
  return std::get<SqliteUrl>(parse_database_url(url)).file;
}

Error error_of(std::string_view url) {
  try {
    parse_database_url(url);
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorCode::kInternal, "nothing was thrown");
}

// What SQLAlchemy 2.0's make_url() makes of each.
TEST(DatabaseUrl, SqliteFilesAreTakenAsTheyAreWritten) {
  EXPECT_EQ(sqlite_file("sqlite:///rel/m.db"), "rel/m.db");
  EXPECT_EQ(sqlite_file("sqlite:////abs/m.db"), "/abs/m.db");
  EXPECT_EQ(sqlite_file("sqlite+pysqlite:////abs/m.db"), "/abs/m.db");
  EXPECT_EQ(sqlite_file("sqlite:///a b%20#c.db"), "a b%20#c.db");
}

TEST(DatabaseUrl, PostgresPartsAreDecodedWhereSqlalchemyDecodesThem) {
  EXPECT_EQ(postgres("postgresql+psycopg2://u+x:p%40w+y@h:5432/d%20b"),
            (PostgresUrl{.user = "u+x",
                         .password = Secret("p@w+y"),
                         .host = "h",
                         .port = "5432",
                         .database = "d%20b",
                         .parameters = {}}));
}

TEST(DatabaseUrl, EveryPartOfAPostgresUrlMayBeMissing) {
  EXPECT_EQ(postgres("postgresql://"), PostgresUrl());
  EXPECT_EQ(postgres("postgresql:///db").database, "db");
  EXPECT_EQ(postgres("postgresql://h").host, "h");
  EXPECT_EQ(postgres("postgresql://u@/db").user, "u");
  EXPECT_EQ(postgres("postgresql+psycopg://h:5433/").port, "5433");
  EXPECT_EQ(postgres("postgresql://[::1]:5432/d").host, "::1");
}

TEST(DatabaseUrl, APasswordEndsAtTheFirstAt) {
  EXPECT_EQ(postgres("postgresql://u:p/w?x@h/db").password, Secret("p/w?x"));
  EXPECT_EQ(postgres("postgresql://u:p@w@h/db").host, "w@h");
  EXPECT_EQ(postgres("postgresql://u@x@h:5432/db").user, "u@x");
}

TEST(DatabaseUrl, ParametersAreDecodedAndEmptyOnesDropped) {
  using Parameters = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(
      postgres("postgresql://h/db?options=-csearch_path%3Dx&application_name=a+b&b=&c").parameters,
      (Parameters{{"options", "-csearch_path=x"}, {"application_name", "a b"}}));
}

TEST(DatabaseUrl, OtherDatabasesAreNamedInTheError) {
  EXPECT_EQ(error_of("mssql+pymssql://u:secret@h/db").code(), ErrorCode::kUnsupported);
  EXPECT_THAT(error_of("mssql+pymssql://u:secret@h/db").message(), HasSubstr("mssql+pymssql"));
  EXPECT_EQ(error_of("postgres://h/db").code(), ErrorCode::kUnsupported);
  EXPECT_EQ(error_of("sqlite://").code(), ErrorCode::kUnsupported);
  EXPECT_EQ(error_of("sqlite:///:memory:").code(), ErrorCode::kUnsupported);
  EXPECT_EQ(error_of("sqlite:///m.db?mode=ro").code(), ErrorCode::kUnsupported);
}

TEST(DatabaseUrl, WhatIsNoSuchUrlIsRefusedWithoutRepeatingIt) {
  for (const std::string_view url :
       {"", "meltano.db", "sqlite://host/m.db", "postgresql://u:secret@h:x/db",
        "postgresql://u:secret@[::1/db", "mysql://u:secret@h/db"}) {
    EXPECT_THAT(error_of(url).message(), HasSubstr("the URL of the database")) << url;
    EXPECT_THAT(error_of(url).message(), Not(HasSubstr("secret"))) << url;
  }
  EXPECT_EQ(error_of("postgresql://u:secret@h:x/db").code(), ErrorCode::kInvalid);
}

TEST(DatabaseUrl, ADescriptionHasNothingSecret) {
  EXPECT_EQ(describe(parse_database_url("sqlite:////p/.meltano/meltano.db")),
            "sqlite:////p/.meltano/meltano.db");
  EXPECT_EQ(describe(parse_database_url("postgresql+psycopg://u:pw@h:1/d?password=x")),
            "postgresql://h:1/d");
  EXPECT_EQ(describe(parse_database_url("postgresql://[::1]/d")), "postgresql://[::1]/d");
}

}  // namespace
}  // namespace tidemark::db
