#include "tidemark/json/read.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/json/write.h"

namespace tidemark::json {
namespace {

using namespace std::string_literals;

std::string fault(std::string_view text, uint64_t line = 1, uint64_t byte = 1) {
  try {
    read(text, line, byte);
    return "no fault";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    return error.message();
  }
}

std::string nested(size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(Read, KeepsNumberTextKeyOrderAndUnknownKeys) {
  const std::string text =
      R"({"z":1.50,"a":1E+2,"":-0,"n":123456789012345678901234567890,"e":1e400,"k":[true,false,null]})";
  EXPECT_EQ(write(read(text)), text);
}

TEST(Read, TakesScalarsAndSpace) {
  EXPECT_EQ(read(" \t\r\n 7 \n"), Value(7));
  EXPECT_EQ(read("\"\""), Value(""));
  EXPECT_EQ(read("null"), Value());
  EXPECT_EQ(read("{ }"), Value(Object()));
  EXPECT_EQ(read("[ ]"), Value(Array()));
}

TEST(Read, LastOfDuplicateKeysWinsInThePlaceOfTheFirst) {
  EXPECT_EQ(write(read(R"({"a":1,"b":2,"a":3})")), R"({"a":3,"b":2})");
  EXPECT_EQ(write(read(R"({"a":1,"\u0061":2})")), R"({"a":2})");
}

TEST(Read, UnderstandsEveryEscape) {
  EXPECT_EQ(read(R"("\"\\\/\b\f\n\r\t")").as_string(), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(read(R"("\u0000\u00e9\u20AC\ud83d\ude00")").as_string(), "\0é€😀"s);
}

TEST(Read, LoneSurrogatesBecomeTheReplacementCharacter) {
  EXPECT_EQ(read(R"("\ud800")").as_string(), "\uFFFD");
  EXPECT_EQ(read(R"("\udc00x")").as_string(), "\uFFFDx");
  EXPECT_EQ(read(R"("\ud800\u0041")").as_string(), "\uFFFDA");
  EXPECT_EQ(read(R"("\ud800\ud83d\ude00")").as_string(), "\uFFFD😀");
  EXPECT_EQ(read(R"("\ud83d\n")").as_string(), "\uFFFD\n");
}

TEST(Read, NamesLineAndByteOfTheFirstFault) {
  EXPECT_EQ(fault(""), "line 1, byte 1: expected a value, found the end");
  EXPECT_EQ(fault("{\n  \"a\": tru\n}"), "line 2, byte 8: expected a value");
  EXPECT_EQ(fault("[1,2"), "line 1, byte 5: expected ',' or ']' in an array");
  EXPECT_EQ(fault("[1,]"), "line 1, byte 4: expected a value");
  EXPECT_EQ(fault(R"({"a":1,})"), "line 1, byte 8: expected a key in quotes");
  EXPECT_EQ(fault(R"({"a" 1})"), "line 1, byte 6: expected ':' after a key");
  EXPECT_EQ(fault(R"({"a":1 "b"})"), "line 1, byte 8: expected ',' or '}' in an object");
  EXPECT_EQ(fault("\"abc"), "line 1, byte 5: expected '\"', found the end");
  EXPECT_EQ(fault("\"a\nb\""),
            "line 1, byte 3: expected an escape in place of a control character");
  EXPECT_EQ(fault(R"("\x")"), "line 1, byte 2: unknown escape");
  EXPECT_EQ(fault(R"("\u12g4")"), "line 1, byte 2: expected four hex digits after \\u");
  EXPECT_EQ(fault("1 2"), "line 1, byte 3: expected nothing after the value");
  EXPECT_EQ(fault("1\0"s), "line 1, byte 2: expected nothing after the value");
}

TEST(Read, CountsFromThePlaceOfTheTextInItsFile) {
  EXPECT_EQ(fault("[x]", 7, 100), "line 7, byte 101: expected a value");
  EXPECT_EQ(fault("[\nx]", 7, 100), "line 8, byte 1: expected a value");
}

TEST(Read, RefusesWhatOnlyLooksLikeANumber) {
  for (const char* text : {"01", "-", "+1", ".5", "1.", "1e", "1e+", "0x1", "NaN", "Infinity",
                           "1.e5", "--1", "-01", "1_000"}) {
    EXPECT_NE(fault(text), "no fault") << text;
  }
}

TEST(Read, RefusesInvalidUtf8AtItsByte) {
  for (const char* bad : {"\x80", "\xC0\x80", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80", "\xE2\x82",
                          "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "\xFF"}) {
    EXPECT_EQ(fault("\"ab" + std::string(bad) + "\""), "line 1, byte 4: invalid UTF-8");
  }
  EXPECT_EQ(read("\"\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF\"").as_string(),
            "\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF");
}

TEST(ReadPython, KeepsWhatOnlyPythonCallsJson) {
  const std::string text =
      R"({"a": NaN, "b": [Infinity, -Infinity], "c": "\ud800", "d": "\udc00x"})";
  EXPECT_EQ(write_python(read_python(text)), text);
  for (const char* bad : {"NaNs", "-NaNN", "nan", "infinity", "+Infinity", "Inf"}) {
    EXPECT_THROW(read_python(bad), Error) << bad;
  }
  EXPECT_THROW(read(text), Error);
  const Value number = read_python("Infinity");
  EXPECT_FALSE(number.as_number().is_integer());
  EXPECT_EQ(number.as_number().to_double(), std::numeric_limits<double>::infinity());
}

TEST(Read, StopsAtTheDepthLimit) {
  EXPECT_EQ(write(read(nested(kMaxDepth))), nested(kMaxDepth));
  EXPECT_EQ(fault(nested(kMaxDepth + 1)), "line 1, byte 1025: nested deeper than 1024");
}

}  // namespace
}  // namespace tidemark::json
