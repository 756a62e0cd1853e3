#include "tidemark/project/python_literal.h"

#include <gtest/gtest.h>

#include "tidemark/json/read.h"
#include "tidemark/json/write.h"

namespace tidemark::project {
namespace {

std::string read(std::string_view text) {
  const std::optional<json::Value> value = read_python_literal(text);
  return value ? json::write(*value) : "nothing";
}

TEST(ReadPythonLiteral, TakesWhatAListOrDictionaryIsMadeOf) {
  EXPECT_EQ(read("['a', \"b\", 1, -2.5, True, False, None, [], {}]"),
            R"(["a","b",1,-2.5,true,false,null,[],{}])");
  EXPECT_EQ(read(" ('a', 'b',) "), R"(["a","b"])");
  EXPECT_EQ(read("{'a': {'b': [1]}, 'c': ()}"), R"({"a":{"b":[1]},"c":[]})");
  EXPECT_EQ(read(R"('it\'s \\ \x41 \u00e9 \U0001F600')"), "\"it's \\\\ A é 😀\"");
}

TEST(ReadPythonLiteral, TakesNothingElse) {
  for (const char* text : {"", "nope", "[1", "[1 2]", "{1: 2}", "{'a'}", "'open", R"('\u12')",
                           "[1]]", "__import__('os')", "'a' 'b'", R"('\ud800')"}) {
    EXPECT_EQ(read(text), "nothing") << text;
  }
  EXPECT_EQ(read(std::string(100'000, '[')), "nothing");
}

TEST(PythonLiteral, ShowsAsPythonDoes) {
  EXPECT_EQ(python_literal(json::read(R"({"a":["x",true,null,1.50],"b":{}})")),
            "{'a': ['x', True, None, 1.50], 'b': {}}");
  EXPECT_EQ(python_literal("it's"), "\"it's\"");
  EXPECT_EQ(python_literal("it's \"q\"\n\x01"), "'it\\'s \"q\"\\n\\x01'");
}

}  // namespace
}  // namespace tidemark::project
