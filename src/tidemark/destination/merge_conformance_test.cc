// How every destination merges with delete-insert.

#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/db/quote.h"
#include "tidemark/destination/test_destinations.h"
#include "tidemark/destination/test_package.h"
#include "tidemark/json/read.h"

namespace tidemark::destination {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAreArray;

class Merge : public testing::TestWithParam<Candidate> {
 protected:
  std::vector<std::string> ask(std::string_view sql) { return dataset_.ask(sql); }

  TestDataset dataset_{GetParam().make};
};

// A merge table with these columns, each with its hints as JSON.
schema::Schema items(std::string_view columns, std::string_view hints = "") {
  return make_schema(fmt::format(
      R"([{{"name": "items", "write_disposition": "merge", {} "columns": {{
          {}, "name": {{"name": "name", "data_type": "text"}}}}}}])",
      hints, columns));
}

constexpr std::string_view kId =
    R"("id": {"name": "id", "data_type": "bigint", "nullable": false, "primary_key": true})";

// A value as a query shows it.
std::string shown(const json::Value& value) {
  if (value.is_null()) return "null";
  if (value.is_bool()) return value.as_bool() ? "true" : "false";
  return value.is_number() ? value.as_number().text() : value.as_string();
}

TEST_P(Merge, LeavesTheTablesThatDltLeaves) {
  std::ifstream file(TIDEMARK_GOLDEN_DIR "/dlt/merge_delete_insert.json");
  const json::Value golden = json::read(std::string(std::istreambuf_iterator<char>(file), {}));
  const schema::Schema schema = schema::Schema::from_json(golden.find("schema")->as_object(), true);
  for (const json::Value& step : golden.find("steps")->as_array()) {
    std::map<std::string, Rows> rows;
    for (const auto& [table, values] : step.find("rows")->as_object()) {
      rows.emplace(table, values.as_array());
    }
    dataset_.load(schema, "people", rows);
    for (const auto& [table, expected] : step.find("tables")->as_object()) {
      std::vector<std::string> columns;
      for (const schema::ColumnView& column : schema.find_table(table)->columns()) {
        columns.emplace_back(column.name());
      }
      std::vector<std::string> lines;
      for (const json::Value& row : expected.as_array()) {
        std::string line;
        for (const std::string& column : columns) line += shown(*row.find(column)) + "|";
        lines.push_back(line.substr(0, line.size() - 1));
      }
      EXPECT_THAT(ask(fmt::format("SELECT {} FROM {}", db::quote_identifiers(columns), table)),
                  UnorderedElementsAreArray(lines));
    }
  }
}

TEST_P(Merge, TheLastRowOfAKeyWinsAcrossChunksAndParts) {
  const schema::Schema schema = items(kId);
  dataset_.load(schema, "items", {{"items", rows_from(R"([{"id": 1, "name": "old"}])")}});
  TableChain chain = dataset_.chain(schema, "items", {});
  Rows rows;
  for (int64_t i = 0; i < 6000; ++i) {
    rows.emplace_back(json::Object{{"id", i % 3}, {"name", fmt::format("row {}", i)}});
  }
  for (const ptrdiff_t begin : {0, 3000}) {
    const Rows part(rows.begin() + begin, rows.begin() + begin + 3000);
    chain.tables[0].files.push_back(write_part(dataset_.folder(), schema, "items", part, 7));
  }
  EXPECT_EQ(dataset_.load(schema, chain)[0].rows, 3u);
  EXPECT_THAT(ask("SELECT id, name FROM items ORDER BY id"),
              ElementsAre("0|row 5997", "1|row 5998", "2|row 5999"));
}

TEST_P(Merge, DedupSortDecidesInItsDirection) {
  for (const auto& [order, winner] : {std::pair("asc", "1|low"), std::pair("desc", "1|high")}) {
    const schema::Schema schema = items(fmt::format(
        R"({}, "ts": {{"name": "ts", "data_type": "bigint", "dedup_sort": "{}"}})", kId, order));
    dataset_.load(schema, "items", {{"items", rows_from(R"([
        {"id": 1, "ts": 5, "name": "high"}, {"id": 1, "ts": 2, "name": "low"},
        {"id": 1, "ts": 3, "name": "last"}])")}});
    EXPECT_THAT(ask("SELECT id, name FROM items"), ElementsAre(winner));
  }
}

TEST_P(Merge, RowsThatAreSaidToBeDeduplicatedAllComeIn) {
  const schema::Schema schema = items(kId, R"("x-stage-data-deduplicated": true,)");
  dataset_.load(schema, "items", {{"items", rows_from(R"([{"id": 1}, {"id": 1}])")}});
  EXPECT_THAT(ask("SELECT id FROM items"), ElementsAre("1", "1"));
}

TEST_P(Merge, AKeyOfSeveralColumnsIsOneKey) {
  const schema::Schema schema = items(
      R"("a": {"name": "a", "data_type": "bigint", "primary_key": true},
         "b": {"name": "b", "data_type": "text", "primary_key": true})");
  dataset_.load(schema, "items", {{"items", rows_from(R"([
      {"a": 1, "b": "x", "name": "old"}, {"a": 1, "b": "y", "name": "old"}])")}});
  dataset_.load(schema, "items", {{"items", rows_from(R"([
      {"a": 1, "b": "y", "name": "new"}, {"a": 2, "b": "x", "name": "new"}])")}});
  EXPECT_THAT(ask("SELECT a, b, name FROM items ORDER BY a, b"),
              ElementsAre("1|x|old", "1|y|new", "2|x|new"));
}

TEST_P(Merge, AMergeKeyReplacesItsRowsAndKeepsAllNewOnes) {
  const schema::Schema schema =
      items(R"("day": {"name": "day", "data_type": "bigint", "merge_key": true})");
  dataset_.load(schema, "items", {{"items", rows_from(R"([
      {"day": 1, "name": "a"}, {"day": 1, "name": "b"}, {"day": 2, "name": "c"}])")}});
  dataset_.load(schema, "items", {{"items", rows_from(R"([
      {"day": 1, "name": "d"}, {"day": 1, "name": "e"}])")}});
  EXPECT_THAT(ask("SELECT day, name FROM items ORDER BY name"), ElementsAre("2|c", "1|d", "1|e"));
}

TEST_P(Merge, PrimaryKeyOrMergeKeyMatches) {
  const schema::Schema schema = items(fmt::format(
      R"({}, "day": {{"name": "day", "data_type": "bigint", "merge_key": true}})", kId));
  dataset_.load(schema, "items", {{"items", rows_from(R"([
      {"id": 1, "day": 1}, {"id": 2, "day": 2}, {"id": 3, "day": 3}, {"id": 4}])")}});
  dataset_.load(schema, "items", {{"items", rows_from(R"([{"id": 1, "day": 2}, {"id": 5}])")}});
  // A null key equals nothing.
  EXPECT_THAT(ask("SELECT id, day FROM items ORDER BY id"),
              ElementsAre("1|2", "3|3", "4|null", "5|null"));
}

TEST_P(Merge, ADeletedRowTakesItsKeyAndItsOlderVersionsAlong) {
  const schema::Schema schema = items(fmt::format(
      R"({}, "gone": {{"name": "gone", "data_type": "bool", "hard_delete": true}})", kId));
  dataset_.load(schema, "items", {{"items", rows_from(R"([{"id": 1}, {"id": 2}, {"id": 3}])")}});
  dataset_.load(schema, "items", {{"items", rows_from(R"([
      {"id": 1, "gone": false, "name": "new"}, {"id": 1, "gone": true},
      {"id": 2, "gone": true}, {"id": 2, "gone": false, "name": "back"}])")}});
  EXPECT_THAT(ask("SELECT id, name FROM items ORDER BY id"), ElementsAre("2|back", "3|null"));
}

TEST_P(Merge, ADeletionMarkOfAnotherTypeDeletesWhenItIsThere) {
  const schema::Schema schema = items(fmt::format(
      R"({}, "gone_at": {{"name": "gone_at", "data_type": "timestamp", "hard_delete": true}})",
      kId));
  dataset_.load(schema, "items", {{"items", rows_from(R"([{"id": 1}, {"id": 2}])")}});
  dataset_.load(schema, "items", {{"items", rows_from(R"([
      {"id": 1, "gone_at": 0}, {"id": 2, "gone_at": null}])")}});
  EXPECT_THAT(ask("SELECT id FROM items"), ElementsAre("2"));
}

TEST_P(Merge, WithoutKeysRowsAreAppendedWithAWarning) {
  const schema::Schema schema = items(R"("id": {"name": "id", "data_type": "bigint"})");
  for (int run = 0; run < 2; ++run) {
    const auto loaded = dataset_.load(schema, "items", {{"items", rows_from(R"([{"id": 1}])")}});
    EXPECT_THAT(loaded[0].warning, HasSubstr("primary_key"));
  }
  EXPECT_THAT(ask("SELECT id FROM items"), ElementsAre("1", "1"));
}

TEST_P(Merge, WithoutRowsNothingChanges) {
  const schema::Schema schema = items(kId);
  dataset_.load(schema, "items", {{"items", rows_from(R"([{"id": 1}])")}});
  dataset_.load(schema, "items", {});
  dataset_.load(schema, "items", {{"items", {}}});
  EXPECT_THAT(ask("SELECT id FROM items"), ElementsAre("1"));
}

TEST_P(Merge, AnotherStrategyIsRefusedByName) {
  const schema::Schema schema = items(kId, R"("x-merge-strategy": "scd2",)");
  try {
    dataset_.load(schema, "items", {{"items", rows_from(R"([{"id": 1}])")}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_THAT(error.message(), HasSubstr("scd2"));
  }
}

// A family with two levels of nested tables, whose links to the root are there or not.
schema::Schema family(std::string_view disposition, bool has_root_links) {
  const char* link = has_root_links
                         ? R"("_dlt_root_id": {"name": "_dlt_root_id", "data_type": "text",
      "nullable": false, "root_key": true},)"
                         : "";
  constexpr const char* kRowKey =
      R"("_dlt_id": {"name": "_dlt_id", "data_type": "text", "nullable": false, "row_key": true})";
  constexpr const char* kParent = R"("_dlt_parent_id": {"name": "_dlt_parent_id",
      "data_type": "text", "nullable": false, "parent_key": true},)";
  return make_schema(fmt::format(R"([
      {{"name": "p", "write_disposition": "{0}", "columns": {{ {1}, {2} }}}},
      {{"name": "p__kids", "parent": "p", "columns": {{
        "k": {{"name": "k", "data_type": "bigint"}}, {3} {4} {2} }}}},
      {{"name": "p__kids__toys", "parent": "p__kids", "columns": {{
        "t": {{"name": "t", "data_type": "text"}}, {3} {4} {2} }}}}])",
                                 disposition, kId, kRowKey, kParent, link));
}

TEST_P(Merge, OldChildRowsGetTheirRootLinkWhenAnAppendedTableIsMerged) {
  dataset_.load(
      family("append", false), "p",
      {{"p", rows_from(R"([{"id": 1, "_dlt_id": "r1"}, {"id": 2, "_dlt_id": "r2"}])")},
       {"p__kids", rows_from(R"([{"k": 1, "_dlt_parent_id": "r1", "_dlt_id": "k1"},
                                {"k": 2, "_dlt_parent_id": "r2", "_dlt_id": "k2"}])")},
       {"p__kids__toys", rows_from(R"([{"t": "a", "_dlt_parent_id": "k1", "_dlt_id": "t1"},
                                      {"t": "b", "_dlt_parent_id": "k2", "_dlt_id": "t2"},
                                      {"t": "c", "_dlt_parent_id": "??", "_dlt_id": "t3"}])")}});
  dataset_.load(family("merge", true), "p",
                {{"p", rows_from(R"([{"id": 1, "_dlt_id": "r3"}])")},
                 {"p__kids", rows_from(R"([{"k": 3, "_dlt_parent_id": "r3", "_dlt_root_id": "r3",
                                 "_dlt_id": "k3"}])")}});
  EXPECT_THAT(ask("SELECT _dlt_id FROM p ORDER BY 1"), ElementsAre("r2", "r3"));
  EXPECT_THAT(ask("SELECT _dlt_id, _dlt_root_id FROM p__kids ORDER BY 1"),
              ElementsAre("k2|r2", "k3|r3"));
  EXPECT_THAT(ask("SELECT _dlt_id, _dlt_root_id FROM p__kids__toys ORDER BY 1"),
              ElementsAre("t2|r2", "t3|null"));
}

TEST_P(Merge, NestedRowsComeOnceWhenRowsBringTheirOwnIds) {
  const schema::Schema schema = family("merge", true);
  dataset_.load(
      schema, "p",
      {{"p", rows_from(R"([{"id": 1, "_dlt_id": "same"}, {"id": 1, "_dlt_id": "same"}])")},
       {"p__kids", rows_from(R"([
          {"k": 1, "_dlt_parent_id": "same", "_dlt_root_id": "same", "_dlt_id": "k1"},
          {"k": 2, "_dlt_parent_id": "same", "_dlt_root_id": "same", "_dlt_id": "k1"}])")}});
  EXPECT_THAT(ask("SELECT id FROM p"), ElementsAre("1"));
  EXPECT_THAT(ask("SELECT k FROM p__kids"), ElementsAre("2"));
}

TEST_P(Merge, BelowTheFirstLevelARootLinkIsNeeded) {
  const schema::Schema schema = family("merge", false);
  try {
    dataset_.load(schema, "p", {{"p", rows_from(R"([{"id": 1, "_dlt_id": "r1"}])")}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    EXPECT_THAT(error.message(), HasSubstr("p__kids__toys"));
  }
}

TEST_P(Merge, NestedTablesNeedARootWithARowKey) {
  const schema::Schema schema = make_schema(R"([
      {"name": "p", "write_disposition": "merge", "columns": {
        "id": {"name": "id", "data_type": "bigint", "primary_key": true}}},
      {"name": "p__kids", "parent": "p", "columns": {
        "k": {"name": "k", "data_type": "bigint"},
        "_dlt_parent_id": {"name": "_dlt_parent_id", "data_type": "text", "parent_key": true}}}])");
  try {
    dataset_.load(schema, "p", {{"p", rows_from(R"([{"id": 1}])")}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    EXPECT_THAT(error.message(), HasSubstr("_dlt_id"));
  }
}

TEST_P(Merge, AtTheFirstLevelTheParentIsLinkEnough) {
  const schema::Schema schema = make_schema(R"([
      {"name": "p", "write_disposition": "merge", "columns": {
        "id": {"name": "id", "data_type": "bigint", "primary_key": true},
        "_dlt_id": {"name": "_dlt_id", "data_type": "text", "row_key": true}}},
      {"name": "p__kids", "parent": "p", "columns": {
        "k": {"name": "k", "data_type": "bigint"},
        "_dlt_parent_id": {"name": "_dlt_parent_id", "data_type": "text", "parent_key": true}}}])");
  for (const char* id : {"r1", "r2"}) {
    dataset_.load(schema, "p",
                  {{"p", {json::Object{{"id", 1}, {"_dlt_id", id}}}},
                   {"p__kids", {json::Object{{"k", 1}, {"_dlt_parent_id", id}}}}});
  }
  EXPECT_THAT(ask("SELECT _dlt_parent_id FROM p__kids"), ElementsAre("r2"));
}

INSTANTIATE_TEST_SUITE_P(Destinations, Merge, testing::ValuesIn(kDestinations),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace tidemark::destination
