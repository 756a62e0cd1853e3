#pragma once

#include <chrono>

#include "tidemark/base/cancellation.h"

namespace tidemark {

// Passed to whatever waits. Thread-safe.
class Sleeper {
 public:
  virtual ~Sleeper() = default;

  // Error kCancelled as soon as cancellation says so.
  virtual void sleep(std::chrono::milliseconds time, const Cancellation& cancellation) = 0;
};

class SystemSleeper final : public Sleeper {
 public:
  void sleep(std::chrono::milliseconds time, const Cancellation& cancellation) override;
};

}  // namespace tidemark
