#include "tidemark/source/cursor_window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/json/typed.h"
#include "tidemark/json/write.h"

namespace tidemark::source {
namespace {

std::string window(json::Value initial, const json::Value& stored, const CursorWindow& window) {
  IncrementalOptions options;
  options.initial_value = std::move(initial);
  options = in_window(options, window, stored);
  return json::write(options.initial_value) + " " + json::write(options.end_value);
}

TEST(CursorWindow, ItsEdgesAreOfTheCursorsType) {
  EXPECT_EQ(window("2000-01-01", {}, {"2024-01-01", "2024-02-01"}), R"("2024-01-01" "2024-02-01")");
  EXPECT_EQ(window("0", {}, {"1", "2"}), R"("1" "2")");
  EXPECT_EQ(window(0, {}, {"1", "2.5"}), "1 2.5");
  EXPECT_EQ(window({}, "a", {"1", "2"}), R"("1" "2")");
  EXPECT_EQ(window({}, 7, {"1", "2"}), "1 2");
  EXPECT_EQ(window(0, "a", {"1", "2"}), "1 2");
  const auto date = [](std::string_view text) {
    return json::make_typed(json::TypedKind::kDate, text);
  };
  EXPECT_EQ(window({}, date("2024-01-01"), {"2024-01-02", "2024-01-03"}),
            json::write(date("2024-01-02")) + " " + json::write(date("2024-01-03")));
}

TEST(CursorWindow, WithoutAnyValueATextThatIsANumberIsOne) {
  EXPECT_EQ(window({}, {}, {"1", "2"}), "1 2");
  EXPECT_EQ(window({}, {}, {"2024-01-01", "2024-02-01"}), R"("2024-01-01" "2024-02-01")");
  EXPECT_THROW(window({}, {}, {"1", "2024-02-01"}), Error);
}

TEST(CursorWindow, ATextIsNoNumber) { EXPECT_THROW(window(0, {}, {"1", "soon"}), Error); }

TEST(CursorWindow, BeginsWithItsFirstValueAndEndsBeforeItsLast) {
  IncrementalOptions options;
  options.range_start = RangeEdge::kOpen;
  options.range_end = RangeEdge::kClosed;
  options = in_window(options, {"1", "2"}, {});
  EXPECT_EQ(options.range_start, RangeEdge::kClosed);
  EXPECT_EQ(options.range_end, RangeEdge::kOpen);
}

}  // namespace
}  // namespace tidemark::source
