#include "tidemark/os/local_time.h"

#include <ctime>

namespace tidemark::os {

DateTime local_time(Time time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const std::time_t point = seconds.time_since_epoch().count();
  ::tzset();  // localtime_r need not look at $TZ itself.
  std::tm local{};
  ::localtime_r(&point, &local);
  const auto offset = std::chrono::seconds(local.tm_gmtoff);
  return {.wall_micros = (time + offset).time_since_epoch().count(),
          .offset = std::chrono::floor<std::chrono::minutes>(offset)};
}

}  // namespace tidemark::os
