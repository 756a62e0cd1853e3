// What every destination answers: stored states and schemas, and queries.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/base64.h"
#include "tidemark/base/error.h"
#include "tidemark/base/zlib.h"
#include "tidemark/destination/conformance_fixture.h"

namespace tidemark::destination {
namespace {

using testing::ElementsAre;

class Sessions : public Conformance {
 protected:
  // Loads and commits the one row of that state.
  void load_state(const std::string& load_id, int64_t version, bool is_committed) {
    schema::Schema schema = make_schema("[]");
    schema.update_table(schema::state_table());
    schema.bump();
    const std::string table(schema::kStateTable);
    const std::string row = fmt::format(
        R"([{{"version": {}, "engine_version": 4, "pipeline_name": "p", "state": "s{}",
             "created_at": 0, "_dlt_load_id": "{}", "_dlt_id": "{}"}}])",
        version, version, load_id, load_id);
    const auto package = dataset_.session().begin();
    package->apply(schema, std::vector{table}, kNow);
    package->load(schema, dataset_.chain(schema, table, {{table, rows_from(row)}}));
    // A row without its load row, as a load that dlt broke off leaves it.
    package->commit({is_committed ? load_id : "1.0", "test_schema", "hash", kNow});
  }
};

TEST_P(Sessions, StateIsTheNewestByTextAmongCommittedLoads) {
  EXPECT_FALSE(dataset_.session().has_state_tables());
  EXPECT_EQ(dataset_.session().newest_state("p"), std::nullopt);
  load_state("9.5", 1, true);
  load_state("10.5", 2, true);
  load_state("99.5", 3, false);
  EXPECT_TRUE(dataset_.session().has_state_tables());
  EXPECT_EQ(dataset_.session().newest_state("another"), std::nullopt);
  const auto newest = dataset_.session().newest_state("p");
  ASSERT_TRUE(newest.has_value());
  EXPECT_EQ(newest->load_id, "9.5");
  EXPECT_EQ(newest->version, 1);
  EXPECT_EQ(newest->engine_version, 4);
  EXPECT_EQ(newest->state, "s1");
  EXPECT_EQ(dataset_.session().newest_load_id(), "9.5");
  EXPECT_TRUE(dataset_.session().is_committed("10.5"));
  EXPECT_FALSE(dataset_.session().is_committed("99.5"));
}

TEST_P(Sessions, TheNewestSchemaIsTheLatestInsertedOne) {
  schema::Schema schema = make_schema(kItems);
  for (const int second : {20, 30, 10}) {
    schema.update_table(json::Object{{"name", fmt::format("table_{}", second)}});
    schema.bump();
    const auto package = dataset_.session().begin();
    package->apply(schema, {}, kNow + std::chrono::seconds(second));
    package->commit({fmt::format("1.{}", second), "test_schema", "hash", kNow});
  }
  const auto newest = dataset_.session().newest_schema("test_schema");
  ASSERT_TRUE(newest.has_value());
  EXPECT_NE(newest->find("table_30"), std::string::npos);
  EXPECT_EQ(newest->find("table_10"), std::string::npos);
  EXPECT_EQ(dataset_.session().newest_schema("another"), std::nullopt);
}

TEST_P(Sessions, ASchemaThatDltCompressedIsReadable) {
  const schema::Schema schema = make_schema(
      R"([{"name": "_dlt_version", "columns": {"schema": {"name": "schema", "data_type": "text"}}}])");
  const std::string document = R"({"name":"test_schema"})";
  const std::string table(schema::kVersionTable);
  const Rows rows = {json::Object{{"version", 9},
                                  {"engine_version", 11},
                                  {"inserted_at", int64_t{1'900'000'000'000'000}},
                                  {"schema_name", "test_schema"},
                                  {"version_hash", "another"},
                                  {"schema", base64_encode(zlib_compress(document))}}};
  dataset_.load(schema, table, {{table, rows}});
  EXPECT_EQ(dataset_.session().newest_schema("test_schema"), document);
}

TEST_P(Sessions, AnEmptyDatabaseAnswersEverything) {
  Session& session = dataset_.session();
  EXPECT_FALSE(session.has_dataset());
  EXPECT_FALSE(session.has_state_tables());
  EXPECT_FALSE(session.is_committed("1.5"));
  EXPECT_EQ(session.newest_load_id(), std::nullopt);
  EXPECT_EQ(session.newest_schema("test_schema"), std::nullopt);
  EXPECT_THAT(ask("SELECT 1"), ElementsAre("1"));
}

TEST_P(Sessions, AReaderOfNothingIsToldSo) {
  try {
    dataset_.destination().connect(kDataset, Access::kRead);
    FAIL() << "there is no database";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  }
}

TEST_P(Sessions, AQueryNamesItsColumnsAndStopsWhenAsked) {
  TextSink sink;
  sink.limit = 2;
  dataset_.session().query(
      "-- numbers\nSELECT CAST(1 AS BIGINT) AS one, 'x' AS word UNION ALL "
      "SELECT 2, NULL UNION ALL SELECT 3, 'z' ORDER BY 1; -- done",
      sink);
  EXPECT_THAT(sink.names, ElementsAre("one", "word"));
  EXPECT_EQ(sink.types[0], "BIGINT");
  EXPECT_THAT(sink.lines, ElementsAre("1|x", "2|null"));
}

TEST_P(Sessions, AFaultyQueryIsShownAsItWasWritten) {
  try {
    ask("SELECT one FRM two");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    EXPECT_THAT(error.message(), testing::HasSubstr("SELECT one FRM two"));
    EXPECT_THAT(error.message(), testing::Not(testing::HasSubstr("DESCRIBE")));
  }
}

TEST_P(Sessions, AQueryDoesNotWrite) {
  dataset_.load(make_schema(kItems), "items", {{"items", rows_from(R"([{"id": 1}])")}});
  for (const char* sql : {"DELETE FROM items", "DROP TABLE items", "SELECT 1; DELETE FROM items",
                          "COMMIT", "CREATE TABLE more (a BIGINT)"}) {
    EXPECT_THROW(ask(sql), Error) << sql;
  }
  EXPECT_THAT(ask("SELECT id FROM items"), ElementsAre("1"));
}

INSTANTIATE_TEST_SUITE_P(Destinations, Sessions, testing::ValuesIn(kDestinations),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace tidemark::destination
