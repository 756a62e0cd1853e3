#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace tidemark {

// Says that the work should stop. Set once, from any thread or from a signal handler; whoever does
// the work looks at it between steps.
class Cancellation {
 public:
  void cancel(int signal = 0) noexcept {
    signal_.store(signal, std::memory_order_relaxed);
    is_cancelled_.store(true, std::memory_order_release);
  }
  bool is_cancelled() const noexcept;
  // The signal that asked for it, 0 when it was not a signal.
  int signal() const noexcept { return signal_.load(std::memory_order_relaxed); }
  // Throws Error kCancelled once cancelled.
  void throw_if_cancelled() const;

 private:
  friend class Reprieve;

  std::atomic<bool> is_cancelled_{false};
  std::atomic<int> signal_{0};
  // Of those that live, and when the last of them is over by the steady clock.
  mutable std::atomic<int> reprieves_{0};
  mutable std::atomic<int64_t> reprieved_until_{0};
};

// While it lives, and for `limit` at the most, nobody sees the cancellation: what has been begun is
// tidied up, such as a lock that others would wait for. Thread-safe.
class Reprieve {
 public:
  Reprieve(const Cancellation& cancellation, std::chrono::milliseconds limit);
  ~Reprieve();
  Reprieve(const Reprieve&) = delete;
  Reprieve& operator=(const Reprieve&) = delete;

 private:
  const Cancellation& cancellation_;
};

}  // namespace tidemark
