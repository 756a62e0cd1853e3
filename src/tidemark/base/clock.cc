#include "tidemark/base/clock.h"

namespace tidemark {

Time SystemClock::now() {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

std::chrono::steady_clock::time_point SystemClock::steady_now() {
  return std::chrono::steady_clock::now();
}

}  // namespace tidemark
