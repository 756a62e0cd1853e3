#pragma once

#include <atomic>

namespace tidemark {

// Says that the work should stop. Set once, from any thread or from a signal handler; whoever does
// the work looks at it between steps.
class Cancellation {
 public:
  void cancel(int signal = 0) noexcept {
    signal_.store(signal, std::memory_order_relaxed);
    is_cancelled_.store(true, std::memory_order_release);
  }
  bool is_cancelled() const noexcept { return is_cancelled_.load(std::memory_order_acquire); }
  // The signal that asked for it, 0 when it was not a signal.
  int signal() const noexcept { return signal_.load(std::memory_order_relaxed); }
  // Throws Error kCancelled once cancelled.
  void throw_if_cancelled() const;

 private:
  std::atomic<bool> is_cancelled_{false};
  std::atomic<int> signal_{0};
};

}  // namespace tidemark
