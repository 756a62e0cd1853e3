#pragma once

#include <chrono>

namespace tidemark {

// Wall clock time in UTC, microseconds since 1970-01-01.
using Time = std::chrono::sys_time<std::chrono::microseconds>;

// Passed to whatever needs the time. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;

  virtual Time now() = 0;
  // Never goes back; for measuring durations.
  virtual std::chrono::steady_clock::time_point steady_now() = 0;
  // Since the machine started, the time it was suspended included: for what ends elsewhere while
  // this machine sleeps.
  virtual std::chrono::microseconds boot_now() = 0;
};

class SystemClock final : public Clock {
 public:
  Time now() override;
  std::chrono::steady_clock::time_point steady_now() override;
  std::chrono::microseconds boot_now() override;
};

// For tests: stands still until advanced.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Time start) : now_(start) {}

  Time now() override { return now_; }
  std::chrono::steady_clock::time_point steady_now() override {
    return std::chrono::steady_clock::time_point(now_.time_since_epoch());
  }
  std::chrono::microseconds boot_now() override { return now_.time_since_epoch(); }
  void advance(std::chrono::microseconds by) { now_ += by; }

 private:
  Time now_;
};

}  // namespace tidemark
