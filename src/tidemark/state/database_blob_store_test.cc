#include "tidemark/state/database_blob_store.h"

#include <memory>
#include <string>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/blob/conformance.h"
#include "tidemark/state/test_database.h"

namespace tidemark::state {
namespace {

using db::SqlDialect;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A store with a database of its own.
struct Client {
  explicit Client(const TestDatabase& place) : database(place.open()), store(*database) {}

  std::unique_ptr<SystemDatabase> database;
  DatabaseBlobStore store;
};

using DialectAndCheck = std::tuple<SqlDialect, blob::Check>;

std::string name_of(const testing::TestParamInfo<DialectAndCheck>& info) {
  const bool is_sqlite = std::get<0>(info.param) == SqlDialect::kSqlite;
  return std::string(is_sqlite ? "Sqlite_" : "Postgres_") + std::get<1>(info.param).name;
}

class DatabaseBlobs : public testing::TestWithParam<DialectAndCheck> {};
INSTANTIATE_TEST_SUITE_P(Databases, DatabaseBlobs,
                         testing::Combine(testing::Values(SqlDialect::kSqlite,
                                                          SqlDialect::kPostgres),
                                          testing::ValuesIn(blob::conformance_checks())),
                         name_of);

TEST_P(DatabaseBlobs, Conform) {
  const TestDatabase place(std::get<0>(GetParam()));
  std::get<1>(GetParam()).run([&] {
    const auto client = std::make_shared<Client>(place);
    return std::shared_ptr<blob::BlobStore>(client, &client->store);
  });
}

class DatabaseRecords : public testing::TestWithParam<SqlDialect> {
 protected:
  TestDatabase place_{GetParam()};
  Client client_{place_};
};
INSTANTIATE_TEST_SUITE_P(Databases, DatabaseRecords,
                         testing::Values(SqlDialect::kSqlite, SqlDialect::kPostgres),
                         name_of_dialect);

TEST_P(DatabaseRecords, MakeNothingUntilTheFirstWrite) {
  EXPECT_FALSE(client_.store.get("a/lease.json"));
  EXPECT_TRUE(client_.store.remove("a/lease.json", blob::Always{}));
  client_.store.list({}, [](std::string_view) { ADD_FAILURE(); });
  EXPECT_FALSE(client_.database->read("load", [](db::SqlConnection&) {}));
}

TEST_P(DatabaseRecords, StandBesideMeltanosTables) {
  client_.store.put("a/lease.json", "{}", blob::IfAbsent{});
  EXPECT_THAT(texts(*place_.connect(), "SELECT version FROM tidemark_records"),
              ElementsAre("44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"));
  EXPECT_THAT(texts(*place_.connect(), "SELECT version_num FROM alembic_version"),
              ElementsAre("c0efb3c314eb"));
  EXPECT_THAT(texts(*place_.connect(), "SELECT state_id FROM state"), IsEmpty());
}

TEST_P(DatabaseRecords, OfOddKeysAreRefusedByName) {
  const Error error = error_of([&] { client_.store.put("a/../b", "1", blob::Always{}); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalid);
  EXPECT_THAT(error.message(), HasSubstr("put 'a/../b' in " + client_.store.describe()));
}

}  // namespace
}  // namespace tidemark::state
