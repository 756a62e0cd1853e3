#include "tidemark/project/cron.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tidemark::project
