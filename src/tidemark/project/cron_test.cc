#include "tidemark/project/cron.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemark/base/error.h"

namespace tidemark::project {
namespace {

TEST(IsInterval, TakesFiveFieldsOrAWord) {
  for (const char* interval :
       {"* * * * *", "0 */2 * * *", "0,30 9-17 * jan-mar mon,WED", "*/5 0 1,15 12 7", "@once",
        "@daily", "@annually", "1-59/2 * * * *"}) {
    EXPECT_TRUE(is_interval(interval)) << interval;
  }
  for (const char* interval : {"", "bogus", "@never", "* * * *", "* * * * * *", "60 * * * *",
                               "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8", "a * * * *",
                               "1-2-3 * * * *", "*/0 * * * *", "*/2/3 * * * *", ", * * * *"}) {
    EXPECT_FALSE(is_interval(interval)) << interval;
  }
}

TEST(CronOf, IsWhatAWordMeans) {
  EXPECT_EQ(cron_of("@daily"), "0 0 * * *");
  EXPECT_EQ(cron_of("@once"), std::nullopt);
  EXPECT_EQ(cron_of("0 */2 * * *"), "0 */2 * * *");
}

TEST(CalendarEvents, SayWhatCronSays) {
  using Events = std::vector<std::string>;
  EXPECT_EQ(calendar_events("@daily"), Events{"*-*-* 00:00:00"});
  EXPECT_EQ(calendar_events("@weekly"), Events{"Sun *-*-* 00:00:00"});
  EXPECT_EQ(calendar_events("@yearly"), Events{"*-01-01 00:00:00"});
  EXPECT_EQ(calendar_events("*/20  3-5 * jan,dec mon-fri"),
            Events{"Mon,Tue,Wed,Thu,Fri *-01,12-* 03,04,05:00,20,40:00"});
  EXPECT_EQ(calendar_events("30 6 * * 5-7"), Events{"Sun,Fri,Sat *-*-* 06:30:00"});
  EXPECT_EQ(calendar_events("0 0 * * 0-7"), Events{"*-*-* 00:00:00"});
  EXPECT_EQ(calendar_events("@once"), Events{});
}

// Of two lists of days either is enough, but for one that begins with a star.
TEST(CalendarEvents, DaysOfMonthAndWeekAddUp) {
  using Events = std::vector<std::string>;
  EXPECT_EQ(calendar_events("0 12 1,15 * mon"),
            (Events{"*-*-01,15 12:00:00", "Mon *-*-* 12:00:00"}));
  EXPECT_EQ(calendar_events("0 12 */16 * mon"), Events{"Mon *-*-01,17 12:00:00"});
}

TEST(CalendarEvents, RefuseWhatCronsReadDifferently) {
  const auto refused = [](const char* interval) {
    try {
      calendar_events(interval);
    } catch (const Error& error) {
      return error.message().substr(0, 14);
    }
    return std::string();
  };
  EXPECT_EQ(refused("5/15 * * * *"), "the part '5/15");
  EXPECT_EQ(refused("0 0 * * fri-mon"), "the part 'fri-");
}

}  // namespace
}  // namespace tidemark::project
