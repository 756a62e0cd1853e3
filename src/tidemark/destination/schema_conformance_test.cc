// How every destination makes, changes and drops tables.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/destination/conformance_fixture.h"
#include "tidemark/json/write.h"

namespace tidemark::destination {
namespace {

using testing::ElementsAre;

class Schemas : public Conformance {};

TEST_P(Schemas, ASchemaOnlyGrows) {
  dataset_.load(make_schema(kItems), "items",
                {{"items", rows_from(R"([{"id": 1, "name": "a"}])")}});
  const schema::Schema grown = make_schema(R"([{"name": "items", "columns": {
      "id": {"name": "id", "data_type": "bigint", "nullable": false},
      "more": {"name": "more", "data_type": "bigint"},
      "required": {"name": "required", "data_type": "text", "nullable": false},
      "unknown": {"name": "unknown"}}}])");
  const auto package = dataset_.session().begin();
  const json::Object applied = package->apply(grown, std::vector<std::string>{"items"}, kNow);
  package->commit({"2.0", "test_schema", "hash", kNow});
  ASSERT_EQ(applied.size(), 1u);
  const json::Value& update = *applied.find("items");
  EXPECT_EQ(json::write(*update.find("columns")),
            R"({"more":{"name":"more","data_type":"bigint"},)"
            R"("required":{"name":"required","data_type":"text","nullable":false}})");
  EXPECT_EQ(update.find("write_disposition")->as_string(), "append");
  EXPECT_THAT(ask("SELECT id, name, more, required FROM items"), ElementsAre("1|a|null|null"));
}

TEST_P(Schemas, AnAppliedSchemaIsWrittenOnceAndReportsNothingTheSecondTime) {
  const schema::Schema schema = make_schema(kItems);
  for (int run = 0; run < 2; ++run) {
    const auto package = dataset_.session().begin();
    const json::Object applied = package->apply(schema, std::vector<std::string>{"items"}, kNow);
    EXPECT_EQ(applied.size(), run == 0 ? 3u : 0u);
    package->commit({fmt::format("{}.5", run + 1), "test_schema", "hash", kNow});
  }
  EXPECT_THAT(
      ask("SELECT version, engine_version, schema_name, version_hash FROM _dlt_version"),
      ElementsAre(fmt::format("{}|11|test_schema|{}", schema.version(), schema.version_hash())));
  EXPECT_EQ(dataset_.session().newest_schema("test_schema"), json::write(schema.document()));
}

TEST_P(Schemas, ATableThatWasDroppedByHandIsMadeAgain) {
  const schema::Schema schema = make_schema(kItems);
  dataset_.load(schema, "items", {{"items", rows_from(R"([{"id": 1}])")}});
  auto package = dataset_.session().begin();
  package->drop_tables("another_schema", std::vector<std::string>{"items"});
  package->commit({"1.5", "test_schema", "hash", kNow});
  dataset_.load(schema, "items", {{"items", rows_from(R"([{"id": 2}])")}});
  EXPECT_THAT(ask("SELECT id FROM items"), ElementsAre("2"));
}

TEST_P(Schemas, DroppedTablesCanBeMadeAgainInTheSamePackage) {
  dataset_.load(make_schema(kItems), "items", {{"items", rows_from(R"([{"id": 1}])")}});
  const schema::Schema other = make_schema(R"([{"name": "items", "columns": {
      "word": {"name": "word", "data_type": "text"}}}])");
  const auto package = dataset_.session().begin();
  package->drop_tables("test_schema", std::vector<std::string>{"items", "never_there"});
  package->apply(other, std::vector<std::string>{"items"}, kNow);
  package->load(other,
                dataset_.chain(other, "items", {{"items", rows_from(R"([{"word": "w"}])")}}));
  package->commit({"2.0", "test_schema", "hash", kNow});
  EXPECT_THAT(ask("SELECT * FROM items"), ElementsAre("w"));
  EXPECT_THAT(ask("SELECT version_hash FROM _dlt_version"),
              ElementsAre(std::string(other.version_hash())));
}

TEST_P(Schemas, DroppingFromADatasetThatIsNotThereIsNothing) {
  const auto package = dataset_.session().begin();
  package->drop_tables("test_schema", std::vector<std::string>{"never_there"});
  package->apply(make_schema("[]"), {}, kNow);
  package->commit({"1.5", "test_schema", "hash", kNow});
  EXPECT_TRUE(dataset_.session().is_committed("1.5"));
}

TEST_P(Schemas, ATableThatTheSchemaLacksIsRefusedByName) {
  const auto package = dataset_.session().begin();
  try {
    package->apply(make_schema("[]"), std::vector<std::string>{"nowhere"}, kNow);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    EXPECT_THAT(error.message(), testing::HasSubstr("nowhere"));
  }
}

TEST_P(Schemas, AnyNameIsATableOrColumn) {
  const schema::Schema schema = make_schema(R"([{"name": "select", "columns": {
      "from": {"name": "from", "data_type": "bigint"},
      "a \"b\" 'c'": {"name": "a \"b\" 'c'", "data_type": "text"},
      "単価": {"name": "単価", "data_type": "double"}}}])");
  dataset_.load(schema, "select", {{"select", rows_from(R"([
      {"from": 1, "a \"b\" 'c'": "x", "単価": 0.5}])")}});
  EXPECT_THAT(ask(R"(SELECT "from", "a ""b"" 'c'", "単価" FROM "select")"), ElementsAre("1|x|0.5"));
}

INSTANTIATE_TEST_SUITE_P(Destinations, Schemas, testing::ValuesIn(kDestinations),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace tidemark::destination
