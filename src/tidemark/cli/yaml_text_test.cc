#include "tidemark/cli/yaml_text.h"

#include <gtest/gtest.h>

#include "tidemark/json/read.h"

namespace tidemark::cli {
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

}  // namespace
}  // namespace tidemark::cli
