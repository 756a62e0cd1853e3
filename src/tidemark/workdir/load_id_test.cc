#include "tidemark/workdir/load_id.h"

#include <gtest/gtest.h>

namespace tidemark::workdir {
namespace {

constexpr Time kNow{std::chrono::microseconds(1'796'038'212'267'203)};

TEST(LoadId, IsTheTimeNow) { EXPECT_EQ(make_load_id(kNow, 0), "1796038212.267203"); }

TEST(LoadId, AlwaysHasADecimalPoint) {
  EXPECT_EQ(make_load_id(Time(std::chrono::seconds(1'796'038'212)), 0), "1796038212.0");
}

TEST(LoadId, IsAboveTheNewestOneWhenTheClockIsBehind) {
  std::string id = make_load_id(kNow, 1'796'038'300.5);
  EXPECT_GT(*parse_load_id(id), 1'796'038'300.5);
  EXPECT_GT(id, "1796038300.5");
  EXPECT_NE(id.find('.'), std::string::npos);
}

TEST(LoadId, OtherNamesAreNone) {
  EXPECT_EQ(parse_load_id("1796038212.5"), 1'796'038'212.5);
  for (const char* text : {"", "abc", "12x", "-1.5", "1e3", "inf", "nan"}) {
    EXPECT_FALSE(parse_load_id(text)) << text;
  }
}

}  // namespace
}  // namespace tidemark::workdir
