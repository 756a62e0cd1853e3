#include "tidemark/os/local_time.h"

#include <cstdlib>
#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace tidemark::os {
namespace {

using namespace std::chrono_literals;

class LocalTime : public testing::Test {
 protected:
  LocalTime() {
    if (const char* zone = std::getenv("TZ")) zone_ = zone;
  }
  ~LocalTime() override {
    if (zone_) {
      ::setenv("TZ", zone_->c_str(), 1);
    } else {
      ::unsetenv("TZ");
    }
  }

  static std::string in(const char* zone, Time time) {
    ::setenv("TZ", zone, 1);
    return format_iso(local_time(time));
  }

 private:
  std::optional<std::string> zone_;
};

// 2026-11-30T12:46:48.767211Z
constexpr Time kNovember{1'796'042'808'767'211us};
// 2026-07-01T00:00:00Z
constexpr Time kJuly{1'782'864'000'000'000us};

TEST_F(LocalTime, FollowsTheZoneAndItsSummerTime) {
  EXPECT_EQ(in("UTC", kNovember), "2026-11-30T12:46:48.767211+00:00");
  EXPECT_EQ(in("Asia/Tokyo", kNovember), "2026-11-30T21:46:48.767211+09:00");
  EXPECT_EQ(in("America/St_Johns", kNovember), "2026-11-30T09:16:48.767211-03:30");
  EXPECT_EQ(in("Europe/Berlin", kNovember), "2026-11-30T13:46:48.767211+01:00");
  EXPECT_EQ(in("Europe/Berlin", kJuly), "2026-07-01T02:00:00+02:00");
}

TEST_F(LocalTime, FractionsBeforeTheEpochStayWhole) {
  EXPECT_EQ(in("UTC", Time{-1us}), "1969-12-31T23:59:59.999999+00:00");
}

}  // namespace
}  // namespace tidemark::os
