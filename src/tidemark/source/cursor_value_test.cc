#include "tidemark/source/cursor_value.h"

#include <gtest/gtest.h>

#include "tidemark/json/read.h"

namespace tidemark::source {
namespace {

std::partial_ordering compared(std::string_view left, std::string_view right) {
  const json::Value a = json::read(left);
  const json::Value b = json::read(right);
  auto way = compare(cursor_view(a), cursor_view(b));
  auto back = compare(cursor_view(b), cursor_view(a));
  EXPECT_TRUE((way == 0) == (back == 0) && (way < 0) == (back > 0)) << left << " " << right;
  return way;
}

TEST(CompareCursor, OrdersIntegersBeyondDoublesExactly) {
  EXPECT_TRUE(compared("9007199254740992", "9007199254740993") < 0);
  EXPECT_TRUE(compared("9223372036854775807", "9223372036854775808") < 0);
  EXPECT_TRUE(compared("18446744073709551615", "18446744073709551616") < 0);
  EXPECT_TRUE(compared("-9223372036854775809", "-9223372036854775808") < 0);
  EXPECT_TRUE(compared("123456789012345678901234567890", "123456789012345678901234567891") < 0);
}

TEST(CompareCursor, OrdersIntegersAndDoublesExactly) {
  EXPECT_TRUE(compared("9007199254740993", "9007199254740992.0") > 0);
  EXPECT_TRUE(compared("9223372036854775807", "9223372036854775808.0") < 0);
  EXPECT_TRUE(compared("18446744073709551615", "18446744073709551616.0") < 0);
  EXPECT_TRUE(compared("2", "2.5") < 0);
  EXPECT_TRUE(compared("-2", "-2.5") > 0);
  EXPECT_TRUE(compared("3", "3.0") == 0);
  EXPECT_TRUE(compared("0", "-0.0") == 0);
  EXPECT_TRUE(compared("1", "1e400") < 0);
}

TEST(CompareCursor, OrdersDecimalsByValue) {
  EXPECT_TRUE(compared("\"\uF0261.10\"", "\"\uF0261.1\"") == 0);
  EXPECT_TRUE(compared("\"\uF0261E+3\"", "\"\uF026999.999\"") > 0);
  EXPECT_TRUE(compared("\"\uF0260.1\"", "0.1") < 0);  // the double is a little more
  EXPECT_TRUE(compared("\"\uF0260.0\"", "0") == 0);
  EXPECT_TRUE(compared("\"\uF026-0.01\"", "0") < 0);
  EXPECT_TRUE(compared("\"\uF026-0.01\"", "\"\uF026-0.001\"") < 0);
  EXPECT_TRUE(compared("\"\uF026NaN\"", "1") == std::partial_ordering::unordered);
}

TEST(CompareCursor, OrdersTextByCodePoints) {
  EXPECT_TRUE(compared(R"("Z")", R"("a")") < 0);
  EXPECT_TRUE(compared(R"("é")", R"("😀")") < 0);
  EXPECT_TRUE(compared(R"("2024-01-02")", R"("2024-01-02T00:00:00Z")") < 0);
}

TEST(CompareCursor, OrdersDateTimesByInstantAndReadsNaiveOnesAsUtc) {
  EXPECT_TRUE(
      compared("\"\uF0272024-12-02T12:00:00+02:00\"", "\"\uF0272024-12-02T10:00:00+00:00\"") == 0);
  EXPECT_TRUE(compared("\"\uF0272024-12-02T10:00:00\"", "\"\uF0272024-12-02T10:00:00+00:00\"") ==
              0);
  EXPECT_TRUE(compared("\"\uF0282024-12-02\"", "\"\uF0282024-12-10\"") < 0);
}

TEST(CompareCursor, HasNoOrderBetweenTypes) {
  EXPECT_TRUE(compared("1", R"("1")") == std::partial_ordering::unordered);
  EXPECT_TRUE(compared("\"\uF0282024-12-02\"", "\"\uF0272024-12-02T10:00:00\"") ==
              std::partial_ordering::unordered);
  EXPECT_TRUE(compared("[1]", "[1]") == std::partial_ordering::unordered);
  EXPECT_TRUE(compared("true", "1") == std::partial_ordering::unordered);
}

TEST(CursorValue, GivesBackWhatItWasGiven) {
  for (std::string_view text : {"null", "5", "18446744073709551615", "1.5", "1e400", "\"a\"",
                                "123456789012345678901234567890", "\"\uF0261.10\"",
                                "\"\uF0272024-12-02T12:00:00+02:00\""}) {
    const json::Value value = json::read(text);
    EXPECT_EQ(CursorValue(value).to_json(), value) << text;
  }
}

}  // namespace
}  // namespace tidemark::source
