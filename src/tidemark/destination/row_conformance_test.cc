// How every destination keeps the rows it is given.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/destination/conformance_fixture.h"

namespace tidemark::destination {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class LoadedRows : public Conformance {};

TEST_P(LoadedRows, RowsOfEveryTypeComeBackEqual) {
  const schema::Schema schema = make_schema(R"([{"name": "types", "columns": {
      "t": {"name": "t", "data_type": "text"},
      "f": {"name": "f", "data_type": "double"},
      "b": {"name": "b", "data_type": "bool"},
      "ts": {"name": "ts", "data_type": "timestamp"},
      "i": {"name": "i", "data_type": "bigint"},
      "d": {"name": "d", "data_type": "date"},
      "tm": {"name": "tm", "data_type": "time"},
      "dec": {"name": "dec", "data_type": "decimal"},
      "w": {"name": "w", "data_type": "wei"}}}])");
  const auto loaded = dataset_.load(schema, "types", {{"types", rows_from(R"([
      {"t": "a'b\\c\nd\te €", "f": 1.25, "b": true, "ts": 1704164645678900,
       "i": -9223372036854775808, "d": -1, "tm": 3723000004, "dec": "-1",
       "w": "99999999999999999999999999999999999999"},
      {"t": "", "f": 1e300, "b": false, "ts": -62135596800000000, "i": 9223372036854775807,
       "d": 0, "tm": 86399999999, "dec": "12345678901234567890123456789012345678", "w": "0"},
      {}])")}});
  ASSERT_EQ(loaded.size(), 1u);
  EXPECT_EQ(loaded[0].table, "types");
  EXPECT_EQ(loaded[0].rows, 3u);
  EXPECT_THAT(
      ask("SELECT t, f, b, ts, i, d, tm, dec, w FROM types ORDER BY b DESC"),
      testing::UnorderedElementsAre(
          "a'b\\c\nd\te €|1.25|true|2024-01-02 03:04:05.6789+00|-9223372036854775808|1969-12-31|"
          "01:02:03.000004|-0.000000001|99999999999999999999999999999999999999",
          "|1e+300|false|0001-01-01 00:00:00+00|9223372036854775807|1970-01-01|23:59:59.999999|"
          "12345678901234567890123456789.012345678|0",
          "null|null|null|null|null|null|null|null|null"));
}

TEST_P(LoadedRows, JsonAndBinaryKeepTheirBytes) {
  const schema::Schema schema = make_schema(R"([{"name": "raw", "columns": {
      "j": {"name": "j", "data_type": "json"}, "x": {"name": "x", "data_type": "binary"}}}])");
  dataset_.load(schema, "raw", {{"raw", rows_from(R"([
      {"j": "{\"b\": [1, null],  \"a\": 1.0}", "x": "ab\u0000c"}])")}});
  EXPECT_THAT(ask(R"(SELECT CAST(j AS VARCHAR), octet_length(x) FROM raw)"),
              ElementsAre(R"({"b": [1, null],  "a": 1.0}|4)"));
}

TEST_P(LoadedRows, ColumnsThatAPartLacksAreNull) {
  const schema::Schema schema = make_schema(kItems);
  TableChain chain = dataset_.chain(schema, "items", {{"items", rows_from(R"([{"id": 1}])")}});
  chain.tables[0].files.push_back(
      write_part(dataset_.folder(), schema, "items", rows_from(R"([{"id": 2, "name": "b"}])")));
  dataset_.load(schema, chain);
  EXPECT_THAT(ask("SELECT id, name FROM items ORDER BY id"), ElementsAre("1|null", "2|b"));
}

TEST_P(LoadedRows, NoRowIsLostOrDoubledAtTheBordersOfBatches) {
  const schema::Schema schema = make_schema(kItems);
  int64_t id = 0;
  int64_t digits = 0;
  TableChain chain = dataset_.chain(schema, "items", {});
  for (const size_t rows : {1, 2047, 2048, 2049, 40'000}) {
    Rows part;
    for (size_t i = 0; i < rows; ++i, ++id) {
      part.emplace_back(json::Object{{"id", id}, {"name", fmt::format("name of {}", id)}});
      digits += static_cast<int64_t>(std::to_string(id).size());
    }
    chain.tables[0].files.push_back(
        write_part(dataset_.folder(), schema, "items", part, rows > 9000 ? 16'384 : 2048));
  }
  EXPECT_EQ(dataset_.load(schema, chain)[0].rows, static_cast<uint64_t>(id));
  EXPECT_THAT(
      ask("SELECT count(*), count(DISTINCT id), min(id), max(id), sum(length(name)),"
          " sum(CASE WHEN name = 'name of ' || CAST(id AS VARCHAR) THEN 1 ELSE 0 END) FROM items"),
      ElementsAre(fmt::format("{0}|{0}|0|{1}|{2}|{0}", id, id - 1, id * 8 + digits)));
}

TEST_P(LoadedRows, ReplaceWithoutRowsEmptiesParentAndChildren) {
  const schema::Schema schema = make_schema(R"([
      {"name": "snap", "write_disposition": "replace", "columns": {
        "id": {"name": "id", "data_type": "bigint"}}},
      {"name": "snap__kids", "parent": "snap", "columns": {
        "k": {"name": "k", "data_type": "bigint"}}}])");
  dataset_.load(
      schema, "snap",
      {{"snap", rows_from(R"([{"id": 1}])")}, {"snap__kids", rows_from(R"([{"k": 1}])")}});
  dataset_.load(
      schema, "snap",
      {{"snap", rows_from(R"([{"id": 2}])")}, {"snap__kids", rows_from(R"([{"k": 2}])")}});
  EXPECT_THAT(ask("SELECT id FROM snap"), ElementsAre("2"));
  EXPECT_THAT(ask("SELECT k FROM snap__kids"), ElementsAre("2"));

  dataset_.load(schema, "snap", {});
  EXPECT_THAT(ask("SELECT id FROM snap"), IsEmpty());
  EXPECT_THAT(ask("SELECT k FROM snap__kids"), IsEmpty());
}

TEST_P(LoadedRows, TruncatedTablesStayAndLoseTheirRows) {
  const schema::Schema schema = make_schema(kItems);
  dataset_.load(schema, "items", {{"items", rows_from(R"([{"id": 1}])")}});
  const auto package = dataset_.session().begin();
  package->truncate_tables(std::vector<std::string>{"items", "never_there"});
  package->commit({"2.0", "test_schema", "hash", kNow});
  EXPECT_THAT(ask("SELECT count(*) FROM items"), ElementsAre("0"));
}

TEST_P(LoadedRows, CommittedRowsOutliveTheSession) {
  const schema::Schema schema = make_schema(kItems);
  dataset_.load(schema, "items", {{"items", rows_from(R"([{"id": 7}])")}});
  dataset_.close();
  const auto reader = dataset_.destination().connect(kDataset, Access::kRead);
  EXPECT_THAT(destination::ask(*reader, "SELECT id FROM items"), ElementsAre("7"));
}

INSTANTIATE_TEST_SUITE_P(Destinations, LoadedRows, testing::ValuesIn(kDestinations),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace tidemark::destination
