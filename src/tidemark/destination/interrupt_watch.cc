#include "tidemark/destination/interrupt_watch.h"

#include <chrono>

namespace tidemark::destination {
namespace {

// A signal handler can set a flag and wake nobody.
constexpr std::chrono::milliseconds kInterval{20};

}  // namespace

InterruptWatch::InterruptWatch(Session& session, const Cancellation& cancellation)
    : session_(session), cancellation_(cancellation), thread_([this] { watch(); }) {}

InterruptWatch::~InterruptWatch() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  end_.notify_one();
  thread_.join();
}

void InterruptWatch::watch() {
  std::unique_lock lock(mutex_);
  while (!end_.wait_for(lock, kInterval, [this] { return is_over_; })) {
    // Again and again: between two statements there was nothing to interrupt.
    if (cancellation_.is_cancelled()) session_.interrupt();
  }
}

}  // namespace tidemark::destination
