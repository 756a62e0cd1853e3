#pragma once

#include <csignal>

#include "tidemark/base/cancellation.h"

namespace tidemark::os {

// While it lives, SIGINT and SIGTERM cancel instead of killing; the second of them kills after all.
// System calls are restarted, poll() and its kin return. One at a time in a process.
class SignalCancellation {
 public:
  explicit SignalCancellation(Cancellation& cancellation);
  // Puts the earlier handlers back.
  ~SignalCancellation();
  SignalCancellation(const SignalCancellation&) = delete;
  SignalCancellation& operator=(const SignalCancellation&) = delete;

 private:
  struct sigaction earlier_interrupt_{};
  struct sigaction earlier_terminate_{};
};

}  // namespace tidemark::os
