#include "tidemark/base/clock.h"

#include <ctime>

namespace tidemark {

Time SystemClock::now() {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

std::chrono::steady_clock::time_point SystemClock::steady_now() {
  return std::chrono::steady_clock::now();
}

std::chrono::microseconds SystemClock::boot_now() {
  timespec time{};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  return std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

}  // namespace tidemark
