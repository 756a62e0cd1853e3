#include "tidemark/config/yaml_text.h"

#include <gtest/gtest.h>

#include "tidemark/json/read.h"

namespace tidemark::config {
namespace {

TEST(YamlText, WritesBlocks) {
  EXPECT_EQ(
      yaml_text(json::read(
          R"({"version":2,"tables":{"a":{"columns":{}}},"list":["x",1],"nested":[{"a":1}]})")),
      "version: 2\n"
      "tables:\n"
      "  a:\n"
      "    columns: {}\n"
      "list:\n"
      "- x\n"
      "- 1\n"
      "nested:\n"
      "- a: 1\n");
}

TEST(YamlText, QuotesWhatCouldBeReadAsSomethingElse) {
  EXPECT_EQ(yaml_text(json::read(R"(["yes","1.5","","a: b","it's","re:^_dlt","two\nlines","é"])")),
            "- 'yes'\n"
            "- '1.5'\n"
            "- ''\n"
            "- 'a: b'\n"
            "- 'it''s'\n"
            "- 're:^_dlt'\n"
            "- \"two\\nlines\"\n"
            "- 'é'\n");
}

TEST(YamlText, FollowsTheStyleOfItsSurroundings) {
  const json::Value value = json::read(R"({"a":{"b":[{"c":1,"d":2},["x"]]}})");
  EXPECT_EQ(yaml_text(value, {.indent = 4, .dash_indent = 2, .line_break = "\r\n"}, 2),
            "  a:\r\n"
            "      b:\r\n"
            "        - c: 1\r\n"
            "          d: 2\r\n"
            "        -\r\n"
            "          - x\r\n");
}

TEST(YamlFlowText, StandsOnOneLine) {
  EXPECT_EQ(yaml_flow_text(json::read(R"({"a":[1,"x","1",{}],"b c":null,"d":true})")),
            "{a: [1, x, '1', {}], 'b c': null, d: true}");
}

TEST(YamlScalarText, KeepsTheQuotesAskedFor) {
  EXPECT_EQ(yaml_scalar_text("abc", '\''), "'abc'");
  EXPECT_EQ(yaml_scalar_text("it's", '"'), "\"it's\"");
  EXPECT_EQ(yaml_scalar_text("two\nlines", '\''), "\"two\\nlines\"");
}

}  // namespace
}  // namespace tidemark::config
