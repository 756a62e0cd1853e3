#include "tidemark/source/lag.h"

#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/json/write.h"

namespace tidemark::source {
namespace {

std::string lagged(double lag, const json::Value& last, const json::Value& initial = {},
                   LastValue function = LastValue::kMax) {
  return json::write(apply_lag(lag, initial, last, function));
}

TEST(ApplyLag, MovesTextBySecondsAndKeepsItsFormat) {
  EXPECT_EQ(lagged(3600, "2024-01-05T00:00:00Z"), R"("2024-01-04T23:00:00Z")");
  EXPECT_EQ(lagged(1, "2024-01-05T00:00:00+0200"), R"("2024-01-04T23:59:59+0200")");
  EXPECT_EQ(lagged(1, "2024-01-05T00:00:00-05:30"), R"("2024-01-04T23:59:59-05:30")");
  EXPECT_EQ(lagged(3, "2024-01-05T05:06"), R"("2024-01-05T05:05")");
  EXPECT_EQ(lagged(5, "2024-01-05T05"), R"("2024-01-05T04")");
  EXPECT_EQ(lagged(5, "2024-01-05 05:06:07"), R"("2024-01-05 05:06:02")");
}

TEST(ApplyLag, KeepsTheDigitsOfAFraction) {
  EXPECT_EQ(lagged(1, "2024-01-05T00:00:01.250Z"), R"("2024-01-05T00:00:00.250Z")");
  EXPECT_EQ(lagged(0.0005, "2024-01-05T00:00:01.250Z"), R"("2024-01-05T00:00:01.2495Z")");
}

TEST(ApplyLag, MovesDatesByWholeDays) {
  EXPECT_EQ(lagged(1, "2024-01-05"), R"("2024-01-04")");
  EXPECT_EQ(lagged(1.5, "20240105"), R"("20240103")");
  EXPECT_EQ(lagged(1.5, "2024-01-05", {}, LastValue::kMin), R"("2024-01-06")");
  EXPECT_EQ(lagged(1, "2024-03-01"), R"("2024-02-29")");
  EXPECT_EQ(lagged(1, "\uF0282024-12-03"), "\"\uF0282024-12-02\"");
}

TEST(ApplyLag, TakesTheUnitFromTheInitialValue) {
  EXPECT_EQ(lagged(1, "2024-01-05T23:00:00-05:30", "2024-01-01"), R"("2024-01-04T18:30:00-05:30")");
  EXPECT_EQ(lagged(90000, "2024-01-05", "2024-01-01T00:00:00Z"), R"("2024-01-03")");
}

TEST(ApplyLag, ShiftsTheInstantOfDateTimes) {
  EXPECT_EQ(lagged(86400, "\uF0272024-12-03T10:00:00+02:00"),
            "\"\uF0272024-12-02T10:00:00+02:00\"");
  EXPECT_EQ(lagged(86400, "\uF0272024-12-03T10:00:00"), "\"\uF0272024-12-02T10:00:00\"");
}

TEST(ApplyLag, KeepsIntegersWholeAndExact) {
  EXPECT_EQ(lagged(5, 100), "95");
  EXPECT_EQ(lagged(1.5, 100), "98");
  EXPECT_EQ(lagged(1.5, -3), "-4");
  EXPECT_EQ(lagged(1.5, 2.5), "1.0");
  EXPECT_EQ(lagged(1, int64_t{9007199254740993}), "9007199254740992");
  EXPECT_EQ(lagged(5, 100, {}, LastValue::kMin), "105");
}

TEST(ApplyLag, DoesNotCrossTheInitialValue) {
  EXPECT_EQ(lagged(5, 100, 98), "98");
  EXPECT_EQ(lagged(5, 100, 102, LastValue::kMin), "102");
}

TEST(ApplyLag, RefusesWhatHasNoFormat) {
  EXPECT_THROW(lagged(1, "yesterday"), Error);
  EXPECT_THROW(lagged(1, "2024-02-30"), Error);
  EXPECT_THROW(lagged(1, json::Array{1}), Error);
}

}  // namespace
}  // namespace tidemark::source
