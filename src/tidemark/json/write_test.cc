#include "tidemark/json/write.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "tidemark/json/read.h"

namespace tidemark::json {
namespace {

using namespace std::string_literals;

std::string layout(double value) {
  std::string out;
  append_double(out, value);
  return out;
}

std::string orjson(std::string_view text, bool sort_keys = false) {
  return write_orjson(read(text), sort_keys);
}

// Each expectation is what orjson 3.13 writes.
TEST(AppendDouble, LaysOutAsOrjson) {
  EXPECT_EQ(layout(0.0), "0.0");
  EXPECT_EQ(layout(-0.0), "-0.0");
  EXPECT_EQ(layout(1.0), "1.0");
  EXPECT_EQ(layout(-12.5), "-12.5");
  EXPECT_EQ(layout(1e15), "1000000000000000.0");
  EXPECT_EQ(layout(1e16), "1e+16");
  EXPECT_EQ(layout(9007199254740993.0), "9007199254740992.0");
  EXPECT_EQ(layout(123456789012345678.0), "1.2345678901234568e+17");
  EXPECT_EQ(layout(0.1), "0.1");
  EXPECT_EQ(layout(0.00001), "0.00001");
  EXPECT_EQ(layout(1e-6), "1e-6");
  EXPECT_EQ(layout(1.5e-7), "1.5e-7");
  EXPECT_EQ(layout(1.5e300), "1.5e+300");
  EXPECT_EQ(layout(5e-324), "5e-324");
  EXPECT_EQ(layout(std::numeric_limits<double>::max()), "1.7976931348623157e+308");
  EXPECT_EQ(layout(1796038212.2672029), "1796038212.2672029");
  EXPECT_EQ(layout(std::nan("")), "null");
  EXPECT_EQ(layout(HUGE_VAL), "null");
}

TEST(WriteOrjson, HoldsNumbersAsPythonDoes) {
  EXPECT_EQ(orjson("[1.50,1E2,1e16,-0,-0.0,0.00001]"), "[1.5,100.0,1e+16,0,-0.0,0.00001]");
  EXPECT_EQ(orjson("[9223372036854775807,9223372036854775808,18446744073709551615]"),
            "[9223372036854775807,9223372036854775808,18446744073709551615]");
  EXPECT_EQ(orjson("[-9223372036854775808,-9223372036854775809]"),
            "[-9223372036854775808,-9.223372036854776e+18]");
  EXPECT_EQ(orjson("[18446744073709551616,1e400]"), "[1.8446744073709552e+19,null]");
}

TEST(WriteOrjson, SortsKeysByCodePointAtEveryLevel) {
  EXPECT_EQ(
      orjson(R"({"😀":1,"é":2,"b":3,"aa":4,"a":{"y":1,"x":2},"_x":5,"B":6,"\uffff":7})", true),
      R"({"B":6,"_x":5,"a":{"x":2,"y":1},"aa":4,"b":3,"é":2,"￿":7,"😀":1})");
}

TEST(WriteOrjson, EscapesOnlyWhatItMust) {
  EXPECT_EQ(orjson(R"("\"\\\/\b\f\n\r\t\u0000\u001f\u007f\u2028é😀")"),
            "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\x7f\u2028é😀\"");
}

TEST(WritePretty, IndentsByTwoAndLeavesEmptyOnesClosed) {
  EXPECT_EQ(
      write_pretty(read(R"({"a":[1,{"b":2.50}],"c":{},"d":[]})")),
      "{\n  \"a\": [\n    1,\n    {\n      \"b\": 2.50\n    }\n  ],\n  \"c\": {},\n  \"d\": []\n}");
}

// What json.dumps writes, but for number text, which is kept.
TEST(WritePython, EscapesEverythingBeyondAscii) {
  EXPECT_EQ(write_python(read(R"({"a": ["é\u007f/😀\n\u0001\"", 1.50, true], "b": {}})")),
            R"({"a": ["\u00e9\u007f/\ud83d\ude00\n\u0001\"", 1.50, true], "b": {}})");
}

TEST(WritePython, HasACompactAndAnIndentedForm) {
  const Value value = read(R"({"a": ["é", 1.50, {}], "b": {"c": null}})");
  EXPECT_EQ(write_python_compact(value), R"({"a":["\u00e9",1.50,{}],"b":{"c":null}})");
  EXPECT_EQ(write_python_pretty(value),
            "{\n  \"a\": [\n    \"\\u00e9\",\n    1.50,\n    {}\n  ],\n"
            "  \"b\": {\n    \"c\": null\n  }\n}");
}
TEST(WritePython, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(write_python(Value("a\xFFz"s)), R"("a\ufffdz")");
}

}  // namespace
}  // namespace tidemark::json
