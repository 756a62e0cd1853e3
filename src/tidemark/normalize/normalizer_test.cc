#include "tidemark/normalize/normalizer.h"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/json/typed.h"
#include "tidemark/json/write.h"
#include "tidemark/normalize/part_rows.h"
#include "tidemark/normalize/row_ids.h"

namespace tidemark::normalize {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

json::Array golden(const std::string& name) {
  std::ifstream in(std::string(TIDEMARK_GOLDEN_DIR) + "/dlt/" + name);
  std::stringstream text;
  text << in.rdbuf();
  return json::read(text.str()).as_array();
}

json::Page page_of(const std::vector<std::string>& rows) {
  std::string text;
  std::vector<json::TextSpan> spans;
  for (const std::string& row : rows) {
    spans.push_back({text.size(), row.size(), spans.size() + 1});
    text += row + "\n";
  }
  return json::Page::texts(std::make_shared<const json::Buffer>(text), spans, "rows.jsonl");
}

schema::Schema with_table(json::Object hints, const json::Value& config = nullptr) {
  json::Object document = schema::Schema::make("s").document();
  if (config.is_object()) {
    document.find("normalizers")->as_object().find("json")->as_object().set("config", config);
  }
  schema::Schema schema = schema::Schema::from_json(std::move(document), false);
  hints.set("name", "t");
  if (!hints.contains("columns")) hints.set("columns", json::Object());
  schema.update_table(hints);
  return schema;
}

// Normalizes pages of one table, one after the other.
class Table {
 public:
  explicit Table(schema::Schema schema = with_table(json::Object()), bool as_json = false)
      : merger_(std::move(schema)) {
    NormalizerOptions options;
    options.table = "t";
    options.load_id = "1700000000.5";
    options.naming =
        schema::make_naming("snake_case", std::nullopt, merger_.snapshot()->schema.splits_names());
    options.as_json = as_json;
    normalizer_ = std::make_unique<Normalizer>(options, random_);
  }

  Part& run(const std::vector<std::string>& rows) {
    const json::Page page = page_of(rows);
    do {
      normalizer_->run(merger_.snapshot(), page, [] { return Normalizer::Filter(); }, part_);
      ++passes_;
    } while (!merger_.merge(part_));
    return part_;
  }
  std::vector<json::Object> rows(const std::string& table = "t") {
    auto tables = rows_of(part_);
    for (json::Object& row : tables[table]) {
      row.erase("_dlt_load_id");
      row.erase("_dlt_id");
    }
    return tables[table];
  }
  std::string row(size_t index, const std::string& table = "t") {
    return json::write(rows(table).at(index));
  }
  std::vector<std::string> columns(const std::string& table = "t") {
    std::vector<std::string> names;
    const auto snapshot = merger_.snapshot();
    for (const auto& column : snapshot->schema.find_table(table)->columns()) {
      if (!column.name().starts_with("_dlt")) {
        names.push_back(std::string(column.name()) + ":" +
                        std::string(schema::to_string(*column.data_type())));
      }
    }
    return names;
  }
  SchemaMerger& merger() { return merger_; }
  int passes() const { return passes_; }

 private:
  SystemRandom random_;
  SchemaMerger merger_;
  std::unique_ptr<Normalizer> normalizer_;
  Part part_;
  int passes_ = 0;
};

json::Object without_nulls(const json::Object& row) {
  json::Object result;
  for (const auto& [key, value] : row) {
    if (!value.is_null()) result.set(key, value);
  }
  return result;
}

TEST(Normalizer, MakesTheRowsAndIdsOfDlt) {
  for (const json::Value& vector : golden("normalize.json")) {
    SCOPED_TRACE(vector.find("why")->as_string());
    const json::Value& hints = *vector.find("table");
    Table table(
        with_table(hints.is_object() ? hints.as_object() : json::Object(), *vector.find("config")));
    Part& part = table.run({json::write(*vector.find("item"))});

    std::map<std::string, std::vector<json::Object>> expected;
    for (const json::Value& row : vector.find("rows")->as_array()) {
      expected[row.find("table")->as_string()].push_back(
          json::without_markers(without_nulls(row.find("row")->as_object())).as_object());
    }
    const auto actual = rows_of(part);
    ASSERT_EQ(actual.size(), expected.size());
    for (const auto& [name, rows] : expected) {
      ASSERT_EQ(actual.at(name).size(), rows.size()) << name;
      for (size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(json::write_orjson(actual.at(name)[i], true), json::write_orjson(rows[i], true))
            << name;
      }
    }
  }
}

TEST(RowIds, HashAsDltDoes) {
  SystemRandom random;
  RowIds ids(random);
  json::Parser parser;
  for (const json::Value& vector : golden("row_ids.json")) {
    const std::string& op = vector.find("op")->as_string();
    std::string id;
    if (op == "nested_id") {
      ids.nested_id(vector.find("parent_id")->as_string(), vector.find("table")->as_string(),
                    static_cast<uint64_t>(vector.find("list_idx")->as_int64()), id);
    } else if (op == "row_hash") {
      json::Buffer text(json::write(*vector.find("row")));
      ids.text_id(row_hash_text(parser.parse(text.view())), id);
    } else {
      continue;
    }
    EXPECT_EQ(id, vector.find("out")->as_string()) << json::write(vector);
  }
}

TEST(Normalizer, OrdersColumnsByFirstValueObjectsLast) {
  Table table;
  table.run({R"({"a":{"x":1,"y":{"z":2}},"n":null,"b":"s","c":{"q":1.5},"d":true})",
             R"({"n":5,"a":{"w":"late"}})"});
  EXPECT_THAT(table.columns(), ElementsAre("b:text", "d:bool", "c__q:double", "a__x:bigint",
                                           "a__y__z:bigint", "n:bigint", "a__w:text"));
}

TEST(Normalizer, InfersTimestampsAndKeepsTextsThatLookLikeThemInTextColumns) {
  Table table;
  table.run({R"({"at":"2024-01-02T03:04:05Z","s":"word"})",
             R"({"at":"2024-01-02T03:04:05+02:00","s":"2024-01-02T03:04:05Z"})"});
  EXPECT_EQ(table.row(0), R"({"at":"2024-01-02T03:04:05+00:00","s":"word"})");
  EXPECT_EQ(table.row(1), R"({"at":"2024-01-02T01:04:05+00:00","s":"2024-01-02T03:04:05Z"})");
}

TEST(Normalizer, PutsValuesOfAnotherTypeBesideTheirColumn) {
  Table table;
  Part& part =
      table.run({R"({"v":1})", R"({"v":1.5})", R"({"v":"x"})", R"({"v":true})", R"({"v":2.0})"});
  EXPECT_EQ(table.row(1), R"({"v__v_double":1.5})");
  EXPECT_EQ(table.row(2), R"({"v__v_text":"x"})");
  EXPECT_EQ(table.row(3), R"({"v__v_bool":true})");
  EXPECT_EQ(table.row(4), R"({"v":2})");
  EXPECT_EQ(part.counts.variant_values.size(), 3U);
}

TEST(Normalizer, KeepsIntegersBeyond64BitsDigitForDigit) {
  Table table;
  table.run({R"({"n":9223372036854775807,"w":9223372036854775808})",
             R"({"n":9223372036854775808,"w":99999999999999999999999999999999999999})",
             R"({"n":18446744073709551616,"w":1})", R"({"n":-9223372036854775809})"});
  EXPECT_EQ(table.row(0), R"({"n":9223372036854775807,"w":"9223372036854775808"})");
  EXPECT_EQ(table.row(1),
            R"({"w":"99999999999999999999999999999999999999","n__v_wei":"9223372036854775808"})");
  EXPECT_EQ(table.row(2), R"({"w":"1","n__v_wei":"18446744073709551616"})");
  EXPECT_EQ(table.row(3), R"({"n__v_wei":"-9223372036854775809"})");
}

TEST(Normalizer, KeepsNumbersBeyondADoubleAsText) {
  Table table;
  table.run({R"({"d":1.5,"e":1e400})", R"({"d":1e400})",
             R"({"e":123456789012345678901234567890123456789012})"});
  EXPECT_EQ(table.row(0), R"({"d":1.5,"e":"1e400"})");
  EXPECT_EQ(table.row(1), R"({"d__v_text":"1e400"})");
  EXPECT_EQ(table.row(2), R"({"e":"123456789012345678901234567890123456789012"})");
}

TEST(Normalizer, StopsAtKeysThatAreDataAlsoWhenTheyComeInManyPages) {
  const auto row = [](int first, int count, const std::string& value) {
    std::string text = "{";
    for (int i = first; i < first + count; ++i) {
      if (text.size() > 1) text += ',';
      text += "\"k" + std::to_string(i) + "\":" + value;
    }
    return text + "}";
  };
  Table columns;
  columns.run({row(0, 6000, "1")});
  columns.run({row(0, 6000, "1")});
  EXPECT_THAT([&] { columns.run({row(6000, 6000, "1")}); },
              ::testing::ThrowsMessage<Error>(HasSubstr("more than 10000 columns")));
  Table tables;
  tables.run({row(0, 300, "[1]")});
  tables.run({row(0, 300, "[1]")});
  EXPECT_THAT([&] { tables.run({row(300, 300, "[1]")}); },
              ::testing::ThrowsMessage<Error>(HasSubstr("more than 500 nested tables")));
}

TEST(Normalizer, CountsNumbersThatBecomeText) {
  Table table;
  Part& part = table.run({R"({"d":1.5,"e":1e400})", R"({"d":1e400,"e":1})",
                          R"({"e":123456789012345678901234567890123456789012})"});
  EXPECT_THAT(part.counts.numbers_as_text,
              ElementsAre(Pair(ColumnKey{"t", "d__v_text"}, 1U), Pair(ColumnKey{"t", "e"}, 2U)));
}

TEST(Normalizer, KeepsIntegersThatADoubleWouldRoundBesideItsColumn) {
  Table table;
  table.run({R"({"d":0.5})", R"({"d":9007199254740993})", R"({"d":18446744073709551617})",
             R"({"d":18446744073709551616})", R"({"d":3})"});
  EXPECT_EQ(table.row(1), R"({"d__v_bigint":9007199254740993})");
  EXPECT_EQ(table.row(2), R"({"d__v_wei":"18446744073709551617"})");
  EXPECT_EQ(table.row(3), R"({"d":1.8446744073709552e+19})");
  EXPECT_EQ(table.row(4), R"({"d":3.0})");
}

TEST(Normalizer, GivesKeysThatCleanToOneNameColumnsOfTheirOwn) {
  Table table;
  Part& part = table.run({R"({"co$t":"A","co%t":"B"})"});
  ASSERT_EQ(part.counts.renamed_columns.size(), 1U);
  const std::string second = part.counts.renamed_columns.begin()->first.column;
  EXPECT_EQ(table.row(0), R"({"co_t":"A",")" + second + R"(":"B"})");
  EXPECT_EQ(part.counts.renamed_columns.begin()->second, "/co%t");

  // A later run knows the second path by its hint, whichever comes first.
  Table later(table.merger().snapshot()->schema);
  later.run({R"({"co%t":"B2","co$t":"A2"})"});
  EXPECT_EQ(later.row(0), "{\"" + second + R"(":"B2","co_t":"A2"})");
}

TEST(Normalizer, LosesNoneOfThreePathsToOneName) {
  Table table;
  table.run({R"({"a":{"b":1},"a__b":2,"A__B":3})"});
  const json::Object row = table.rows().at(0);
  ASSERT_EQ(row.size(), 3U);
  EXPECT_EQ(row.find("a__b")->as_int64(), 2);
}

TEST(Normalizer, KeepsVariantsApartFromKeysOfTheirName) {
  Table table;
  table.run({R"({"v":1,"v__v_text":"key"})", R"({"v":"variant","v__v_text":"key"})"});
  EXPECT_EQ(table.rows().at(1).find("v__v_text")->as_string(), "key");
  EXPECT_EQ(table.rows().at(1).size(), 2U);
}

TEST(Normalizer, TakesTheLastOfDuplicateKeys) {
  Table table;
  Part& part = table.run({R"({"a":1,"l":[1],"a":"x","l":[2,3]})", R"({"a":"y"})"});
  EXPECT_EQ(part.counts.duplicate_keys, 2U);
  EXPECT_EQ(table.row(0), R"({"a":"x"})");
  EXPECT_EQ(table.rows("t__l").size(), 2U);
  EXPECT_THAT(table.columns(), ElementsAre("a:text"));
}

TEST(Normalizer, WrapsRowsThatAreNoObjects) {
  Table table;
  table.run({"1", "2", "null"});
  EXPECT_EQ(table.row(0), R"({"value":1})");
  EXPECT_EQ(table.row(2), "{}");
}

TEST(Normalizer, CountsKeysThatDltKeepsForItself) {
  Table table;
  Part& part = table.run({R"({"_dlt_load_id":"mine","_dlt_id":"given","a":1})"});
  EXPECT_EQ(rows_of(part).at("t").at(0).find("_dlt_id")->as_string(), "given");
  EXPECT_EQ(rows_of(part).at("t").at(0).find("_dlt_load_id")->as_string(), "1700000000.5");
  EXPECT_EQ(part.counts.dropped_values.size(), 1U);
}

TEST(Normalizer, ReportsColumnsThatAreNothingButNull) {
  Table table;
  Part& part = table.run({R"({"a":1,"b":null,"c":{"d":null}})"});
  EXPECT_EQ(part.counts.null_only_columns.size(), 2U);
  EXPECT_THAT(table.columns(), ElementsAre("a:bigint"));
}

TEST(Normalizer, RefusesARowWithoutItsKey) {
  for (const char* row : {R"({"id":null,"a":1})", R"({"a":1})", R"({"id":"x"})"}) {
    Table table(with_table(
        json::read(R"({"columns":{"id":{"name":"id","data_type":"bigint","nullable":false,
                      "primary_key":true}}})")
            .as_object()));
    try {
      table.run({R"({"id":1})", row});
      ADD_FAILURE() << row;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalid);
      EXPECT_THAT(error.message(), HasSubstr("row 2 of table t has no value for id"));
    }
  }
}

TEST(Normalizer, StopsWhenKeysAreData) {
  std::string row = "{";
  for (int i = 0; i < 10'001; ++i) row += (i > 0 ? ",\"k" : "\"k") + std::to_string(i) + "\":1";
  Table table;
  try {
    table.run({row + "}"});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("max_table_nesting"));
  }
}

TEST(Normalizer, KeepsRowsWholeWhenAsked) {
  Table table(with_table({}), true);
  table.run({R"({"k2":{"v":[1]},"k1":1.5})", "[1,{}]", R"({"k2":null})"});
  EXPECT_EQ(table.row(0), R"({"value":{"k2":{"v":[1]},"k1":1.5}})");
  EXPECT_EQ(table.row(1), R"({"value":[1,{}]})");
  EXPECT_EQ(table.row(2), R"({"value":{"k2":null}})");
  EXPECT_THAT(table.columns(), ElementsAre("value:json"));
}

TEST(Normalizer, TakesBlankKeysOfAnyScriptAsEmptyOnes) {
  Table table;
  table.run({"{\"\u00a0\":1}"});
  EXPECT_THAT(table.columns(), ElementsAre("_empty:bigint"));
}

// What dlt 1.31 names columns and tables of a schema that it made with engine 10.
TEST(Normalizer, TakesNamesAsSingleIdentifiersInSchemasOfOlderEngines) {
  json::Object document = with_table({}).document();
  document.find("normalizers")->as_object().set("use_break_path_on_normalize", false);
  Table table(schema::Schema::from_json(std::move(document), false));
  table.run(
      {R"({"k__Ey":1,"a__b":{"c__d":1,"__init__":2},"l__ist":[{"x___y":1}],"trailing__":1})"});
  EXPECT_THAT(table.columns(), ElementsAre("k_ey:bigint", "trailingxx:bigint", "a_b__c_d:bigint",
                                           "a_b___initxx:bigint"));
  EXPECT_THAT(table.columns("t__l_ist"), ElementsAre("x_y:bigint"));
}

TEST(Normalizer, KeepsListsOfOneNameApartAcrossRuns) {
  Table first;
  first.run({R"({"b":[{"c":[1]}]})"});
  Table second(first.merger().snapshot()->schema);
  second.run({R"({"b__c":[2]})"});
  const std::string tagged = "t__b__c_" + schema::name_tag("t/b__c");
  EXPECT_EQ(second.rows(tagged).size(), 1U);
  EXPECT_TRUE(second.rows("t__b__c").empty());
}

TEST(Normalizer, NamesPlaceOfBadJson) {
  Table table;
  try {
    table.run({R"({"a":1})", R"({"a":})"});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    EXPECT_THAT(error.message(), HasSubstr("rows.jsonl"));
    EXPECT_THAT(error.message(), HasSubstr("line 2"));
  }
}

// Two workers that read pages 1 and 2 under the same snapshot: the second is made again when the
// first has decided otherwise, and the schema is that of one reading after the other.
class TwoWorkers {
 public:
  std::string hash_after(const std::vector<std::vector<std::string>>& pages, bool side_by_side) {
    Table table;
    SystemRandom random;
    SchemaMerger merger(with_table({}));
    NormalizerOptions options{
        "t", "1.5", schema::make_naming("snake_case", std::nullopt, true), {}};
    std::vector<std::unique_ptr<Normalizer>> workers;
    std::vector<Part> parts(pages.size());
    const auto first = merger.snapshot();
    const auto make_filter = [] { return Normalizer::Filter(); };
    for (size_t i = 0; i < pages.size(); ++i) {
      workers.push_back(std::make_unique<Normalizer>(options, random));
      if (side_by_side) workers[i]->run(first, page_of(pages[i]), make_filter, parts[i]);
    }
    for (size_t i = 0; i < pages.size(); ++i) {
      if (side_by_side && merger.merge(parts[i])) continue;
      do {
        ++passes;
        workers[i]->run(merger.snapshot(), page_of(pages[i]), make_filter, parts[i]);
      } while (!merger.merge(parts[i]));
    }
    return merger.snapshot()->schema.content_hash();
  }
  int passes = 0;
};

TEST(SchemaMerger, GivesTheSchemaOfASequentialRead) {
  const std::vector<std::vector<std::string>> pages = {
      {R"({"a":1,"l":[{"x":"2024-01-02T03:04:05Z"}]})"},
      {R"({"b":2,"a":"text","l":[{"x":"word","y":1}]})"},
      {R"({"c":{"d":1},"b":1.5,"co%t":1})"},
      {R"({"co$t":1,"c":[1],"c__d":7})"}};
  TwoWorkers one_by_one;
  TwoWorkers side_by_side;
  EXPECT_EQ(one_by_one.hash_after(pages, false), side_by_side.hash_after(pages, true));
  EXPECT_GT(side_by_side.passes, 0) << "no page had to be made again: the test shows nothing";
}

TEST(SchemaMerger, KeepsTheSnapshotWhenNothingIsNew) {
  Table table;
  table.run({R"({"a":1,"l":[1]})"});
  const auto before = table.merger().snapshot();
  table.run({R"({"a":2,"l":[2]})"});
  table.run({R"({"a":3,"l":[3]})"});
  EXPECT_EQ(table.merger().snapshot(), before);
  EXPECT_EQ(table.passes(), 3);
}

}  // namespace
}  // namespace tidemark::normalize
