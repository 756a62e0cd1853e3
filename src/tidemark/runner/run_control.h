#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <optional>

#include "tidemark/base/cancellation.h"
#include "tidemark/base/error.h"
#include "tidemark/runner/chain.h"

namespace tidemark::runner {

// What stops a run from outside of its plugins. Thread-safe.
class RunControl {
 public:
  using Deadline = std::optional<std::chrono::steady_clock::time_point>;

  // signals is set by a signal. Without a deadline a run may take for ever.
  RunControl(const Cancellation& signals, Deadline deadline)
      : signals_(signals), deadline_(deadline) {}

  // kDrain gives way to kKill, and neither to anything else.
  void stop(Stop how) {
    Stop earlier = stop_.load();
    while (earlier < how && !stop_.compare_exchange_weak(earlier, how)) {
    }
  }

  Stop ask() const {
    const Stop stop = stop_.load();
    return stop == Stop::kNo && (has_signal() || is_too_late()) ? Stop::kDrain : stop;
  }

  // Error kCancelled after a signal, kTimeout behind the deadline, kUnavailable or kLocked when the
  // lease ended.
  void throw_if_stopped() const {
    if (has_signal()) {
      throw Error(ErrorCode::kCancelled, signal() == SIGTERM ? "The process was terminated"
                                                             : "The process was interrupted");
    }
    if (is_too_late()) throw Error(ErrorCode::kTimeout, "Run timed out");
    if (stop_.load() == Stop::kKill) throw Error(ErrorCode::kLocked, "the lease was taken over");
    if (stop_.load() == Stop::kDrain) {
      throw Error(ErrorCode::kUnavailable, "the store of the states does not answer");
    }
  }

  bool has_signal() const { return signals_.is_cancelled(); }
  int signal() const { return signals_.signal(); }
  bool is_too_late() const { return deadline_ && std::chrono::steady_clock::now() >= *deadline_; }

 private:
  const Cancellation& signals_;
  Deadline deadline_;
  std::atomic<Stop> stop_{Stop::kNo};
};

}  // namespace tidemark::runner
