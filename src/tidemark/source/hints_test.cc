#include "tidemark/source/hints.h"

#include <gmock/gmock.h>

#include "tidemark/config/yaml.h"
#include "tidemark/json/write.h"

namespace tidemark::source {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

config::Node yaml(const char* text) { return config::read_yaml(text, "x.yml"); }

std::string error_of(const char* text) {
  ResourceOptions options;
  try {
    read_hints(yaml(text), options);
    read_incremental(yaml(text));
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

TEST(ReadHints, RefuseAStrategyThatNoDestinationHas) {
  EXPECT_THAT(error_of("{write_disposition: {disposition: merge, strategy: scd2}}"),
              HasSubstr("merge strategy scd2 is not supported"));
}

TEST(ReadHints, OverlayThoseThatAreThere) {
  ResourceOptions options;
  read_hints(yaml("{primary_key: id, write_disposition: merge, table_name: t, columns: {a: "
                  "{data_type: text}}}"),
             options);
  read_hints(
      yaml("{merge_key: [a, b], write_disposition: {disposition: replace, strategy: upsert}, "
           "columns: [{name: a, nullable: false}, {name: b}], selected: false, max_table_nesting: "
           "2, as_json: true}"),
      options);
  EXPECT_THAT(options.primary_key, ElementsAre("id"));
  EXPECT_THAT(options.merge_key, ElementsAre("a", "b"));
  EXPECT_EQ(options.write_disposition, WriteDisposition::kReplace);
  EXPECT_EQ(options.merge_strategy, "upsert");
  EXPECT_EQ(options.table_name, "t");
  EXPECT_FALSE(options.is_selected);
  EXPECT_EQ(options.max_table_nesting, 2);
  EXPECT_TRUE(options.as_json);
  EXPECT_EQ(json::write(options.columns),
            R"({"a":{"name":"a","data_type":"text","nullable":false},"b":{"name":"b"}})");
}

TEST(ReadIncremental, ReadsEveryOption) {
  const auto [path, options] = read_incremental(
      yaml("{cursor_path: a.b, initial_value: 5, end_value: 9, last_value_func: min, primary_key: "
           "[], row_order: desc, "
           "range_start: open, range_end: closed, lag: 1.5, on_cursor_value_missing: include}"));
  EXPECT_EQ(path, "a.b");
  IncrementalOptions expected;
  expected.initial_value = 5;
  expected.end_value = 9;
  expected.last_value_func = LastValue::kMin;
  expected.primary_key = std::vector<std::string>();
  expected.row_order = RowOrder::kDescending;
  expected.range_start = RangeEdge::kOpen;
  expected.range_end = RangeEdge::kClosed;
  expected.lag = 1.5;
  expected.on_cursor_value_missing = MissingCursor::kInclude;
  EXPECT_EQ(options, expected);
  EXPECT_EQ(read_incremental(yaml("{cursor_path: x}")).second, IncrementalOptions());
}

TEST(ReadHints, ErrorsSayWhere) {
  EXPECT_THAT(error_of("{write_disposition: appendd}"), HasSubstr("x.yml:1:"));
  EXPECT_THAT(error_of("{columns: {a: text}}"), HasSubstr("columns.a"));
  EXPECT_THAT(error_of("{max_table_nesting: -1}"), HasSubstr("max_table_nesting"));
  EXPECT_THAT(error_of("{row_order: up, cursor_path: x}"), HasSubstr("row_order"));
  EXPECT_THAT(error_of("{}"), HasSubstr("cursor_path"));
}

}  // namespace
}  // namespace tidemark::source
