#include "tidemark/info/format.h"

#include <gtest/gtest.h>

namespace tidemark::info {
namespace {

using std::chrono::microseconds;

TEST(FormatDuration, IsHumanizesPreciseDelta) {
  const std::pair<int64_t, const char*> cases[] = {
      {0, "0 seconds"},
      {1, "0 seconds"},
      {4'999, "0 seconds"},
      {5'000, "0.01 seconds"},
      {260'000, "0.26 seconds"},
      {999'999, "1 second"},
      {1'000'000, "1 second"},
      {1'500'000, "1.50 seconds"},
      {59'994'999, "59.99 seconds"},
      {59'995'000, "59.99 seconds"},
      {59'999'000, "1 minute"},
      {60'000'000, "1 minute"},
      {61'250'000, "1 minute and 1.25 seconds"},
      {3'599'999'999, "1 hour"},
      {3'661'500'000, "1 hour, 1 minute and 1.50 seconds"},
      {86'399'999'999, "1 day"},
      {90'061'200'000, "1 day, 1 hour, 1 minute and 1.20 seconds"},
      {2'592'000'000'000, "30 days"},
      {2'678'400'000'000, "1 month"},
      {5'270'400'000'000, "2 months"},
      {31'535'999'999'999, "11 months and 29 days"},
      {31'536'000'000'000, "1 year"},
      {34'560'001'500'000, "1 year, 1 month, 4 days and 1.50 seconds"},
      {37'843'200'000'000'000, "1,200 years"},
  };
  for (const auto& [micros, text] : cases) {
    EXPECT_EQ(format_duration(microseconds(micros)), text) << micros;
    EXPECT_EQ(format_duration(microseconds(-micros)), text) << -micros;
  }
}

TEST(FormatSize, IsHumanizesGnuSize) {
  const std::pair<uint64_t, const char*> cases[] = {
      {0, "0B"},
      {623, "623B"},
      {1'023, "1023B"},
      {1'024, "1.0K"},
      {1'536, "1.5K"},
      {1'048'523, "1023.9K"},
      {1'048'524, "1023.9K"},
      {1'048'575, "1.0M"},
      {1'048'576, "1.0M"},
      {5'368'709'120, "5.0G"},
      {1'099'511'627'775, "1.0T"},
      {1'152'921'504'606'846'976, "1.0E"},
      {9'223'372'036'854'775'808u, "8.0E"},
  };
  for (const auto& [bytes, text] : cases) EXPECT_EQ(format_size(bytes), text) << bytes;
}

TEST(FormatDatetime, HasABlankAndNoEmptyFraction) {
  EXPECT_EQ(format_datetime(Time(microseconds(1'796'038'212'690'831))),
            "2026-11-30 11:30:12.690831+00:00");
  EXPECT_EQ(format_datetime(Time(microseconds(0))), "1970-01-01 00:00:00+00:00");
}

TEST(FormatCount, GroupsThousands) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1'000), "1,000");
  EXPECT_EQ(format_count(1'234'567), "1,234,567");
}

}  // namespace
}  // namespace tidemark::info
