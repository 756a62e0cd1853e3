#include "tidemark/net/http_date.h"

#include <gtest/gtest.h>

namespace tidemark::net {
namespace {

using std::chrono::seconds;

TEST(HttpDate, IsReadAndWrittenAsTheStandardHasIt) {
  const Time example{seconds(784111777)};  // the example of RFC 9110
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), example);
  EXPECT_EQ(format_http_date(example), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(format_http_date(example + std::chrono::microseconds(999'999)),
            "Sun, 06 Nov 1994 08:49:37 GMT");
}

TEST(HttpDate, EveryDayOfAYearComesBack) {
  const Time start{seconds(1'704'067'199)};  // the last second of 2023; 2024 is a leap year
  for (int day = 0; day < 367; ++day) {
    const Time time = start + std::chrono::days(day);
    EXPECT_EQ(parse_http_date(format_http_date(time)), time);
  }
}

TEST(HttpDate, OtherTextIsNoDate) {
  for (const char* text : {"", "soon", "120", "2026-01-02T00:00:00Z",
                           "Fri, 99 Jan 2026 00:00:00 GMT", "Fri, 02 anF 2026 00:00:00 GMT"}) {
    EXPECT_EQ(parse_http_date(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace tidemark::net
