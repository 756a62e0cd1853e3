#include "tidemark/os/signals.h"

#include <atomic>

namespace tidemark::os {
namespace {

// A handler takes no argument of ours: this is the one way to it.
std::atomic<Cancellation*> active_cancellation{nullptr};
static_assert(std::atomic<Cancellation*>::is_always_lock_free);

void handle(int signal) {
  Cancellation* cancellation = active_cancellation.load();
  if (cancellation == nullptr) return;
  if (cancellation->signal() == 0) {
    cancellation->cancel(signal);
    return;
  }
  // Takes effect when the handler returns: until then the signal is blocked.
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

SignalCancellation::SignalCancellation(Cancellation& cancellation) {
  active_cancellation.store(&cancellation);
  struct sigaction action{};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, &earlier_interrupt_);
  ::sigaction(SIGTERM, &action, &earlier_terminate_);
}

SignalCancellation::~SignalCancellation() {
  ::sigaction(SIGINT, &earlier_interrupt_, nullptr);
  ::sigaction(SIGTERM, &earlier_terminate_, nullptr);
  active_cancellation.store(nullptr);
}

}  // namespace tidemark::os
