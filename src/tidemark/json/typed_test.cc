#include "tidemark/json/typed.h"

#include <gtest/gtest.h>

#include "tidemark/json/read.h"

namespace tidemark::json {
namespace {

TEST(Typed, TellsMarkedStringsFromPlainOnes) {
  const std::string text = make_typed(TypedKind::kDatetime, "2024-01-02T03:04:05+00:00");
  EXPECT_EQ(text, "\uF0272024-01-02T03:04:05+00:00");
  const auto marked = typed(text);
  ASSERT_TRUE(marked);
  EXPECT_EQ(marked->first, TypedKind::kDatetime);
  EXPECT_EQ(marked->second, "2024-01-02T03:04:05+00:00");
  EXPECT_EQ(typed("\uF0261.20")->first, TypedKind::kDecimal);
  EXPECT_EQ(typed("\uF02D01:02:03")->first, TypedKind::kTime);
}

TEST(Typed, AMarkerAloneOrItsNeighboursAreText) {
  for (const char* text : {"", "\uF027", "\uF025x", "\uF02Ex", "2024", "\xEF\x80"}) {
    EXPECT_FALSE(typed(text)) << text;
  }
}

TEST(WithoutMarkers, ReachesEveryLevelButNoKey) {
  const Value value = read("{\"\uF027k\":[\"\uF0261.5\",{\"d\":\"\uF0282024-01-02\"}],\"n\":1.50}");
  EXPECT_EQ(without_markers(value),
            read("{\"\uF027k\":[\"1.5\",{\"d\":\"2024-01-02\"}],\"n\":1.50}"));
}

}  // namespace
}  // namespace tidemark::json
