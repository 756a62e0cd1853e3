#include "tidemark/cli/query_output.h"

#include <gtest/gtest.h>

#include "tidemark/cli/test_world.h"

namespace tidemark::cli {
namespace {

template <typename Format>
std::string printed(const std::vector<std::string>& names, const std::vector<std::string>& types,
                    const std::vector<std::vector<std::optional<std::string>>>& rows) {
  StringOutput out;
  Format output(out);
  output.columns(names, types);
  for (const auto& row : rows) {
    output.row(row);
  }
  output.finish();
  return out.text;
}

TEST(TableOutput, AlignsTextLeftAndNumbersRight) {
  EXPECT_EQ(printed<TableOutput>({"name", "n"}, {"VARCHAR", "BIGINT"},
                                 {{"Müller", "7"}, {"a", "123"}, {std::nullopt, std::nullopt}}),
            "name       n\n"
            "------  ----\n"
            "Müller     7\n"
            "a        123\n"
            "NULL    NULL\n"
            "(3 rows)\n");
}

TEST(TableOutput, KeepsARowOnALineAndControlsOffTheTerminal) {
  EXPECT_EQ(printed<TableOutput>({"t"}, {"VARCHAR"}, {{"a\nb\x1b[31m"}}),
            "t\n"
            "------------\n"
            "a\\nb\\x1b[31m\n"
            "(1 row)\n");
}

TEST(CsvOutput, QuotesWhatNeedsItAndTellsNullFromEmpty) {
  EXPECT_EQ(printed<CsvOutput>({"a", "b,c"}, {"VARCHAR", "VARCHAR"},
                               {{"say \"hi\"", "x"}, {std::nullopt, ""}}),
            "a,\"b,c\"\r\n\"say \"\"hi\"\"\",x\r\n,\"\"\r\n");
}

TEST(JsonOutput, KeepsNumbersBooleansAndJson) {
  EXPECT_EQ(
      printed<JsonOutput>(
          {"n", "d", "b", "j", "t", "x"},
          {"HUGEINT", "DECIMAL(38,9)", "BOOLEAN", "JSON", "VARCHAR", "DOUBLE"},
          {{"170141183460469231731687303715884105727", "1.20", "true", R"({"a":1})", "7", "nan"}}),
      "[\n"
      R"({"n":170141183460469231731687303715884105727,"d":1.20,"b":true,"j":{"a":1},)"
      R"("t":"7","x":"nan"})"
      "\n]\n");
  EXPECT_EQ(printed<JsonOutput>({"a"}, {"BIGINT"}, {}), "[]\n");
}

}  // namespace
}  // namespace tidemark::cli
