#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "tidemark/base/cancellation.h"
#include "tidemark/destination/destination.h"

namespace tidemark::destination {

// While it lives, a cancellation interrupts the statements of a session, however long they run:
// they fail with Error kCancelled within a tenth of a second.
class InterruptWatch {
 public:
  // Both must outlive it.
  InterruptWatch(Session& session, const Cancellation& cancellation);
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

 private:
  void watch();

  Session& session_;
  const Cancellation& cancellation_;
  std::mutex mutex_;
  std::condition_variable end_;
  bool is_over_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace tidemark::destination
