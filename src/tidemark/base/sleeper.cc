#include "tidemark/base/sleeper.h"

#include <algorithm>
#include <thread>

namespace tidemark {

void SystemSleeper::sleep(std::chrono::milliseconds time, const Cancellation& cancellation) {
  using std::chrono::milliseconds;
  // A signal wakes nobody up: how often to look whether one came.
  constexpr milliseconds kSlice{50};
  const auto end = std::chrono::steady_clock::now() + time;
  while (true) {
    cancellation.throw_if_cancelled();
    const auto left = std::chrono::ceil<milliseconds>(end - std::chrono::steady_clock::now());
    if (left <= milliseconds(0)) return;
    std::this_thread::sleep_for(std::min(left, kSlice));
  }
}

}  // namespace tidemark
