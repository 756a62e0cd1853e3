#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace tidemark::state {

// Calls something again and again, in a thread of its own, until it is destroyed.
class Periodic {
 public:
  // What is called says how long to wait for the next call; nothing: no more. The first one comes
  // after `first`. It does not throw.
  using Work = std::function<std::optional<std::chrono::milliseconds>()>;

  Periodic(std::chrono::milliseconds first, Work work);
  // Waits for a call that is under way.
  ~Periodic();
  Periodic(const Periodic&) = delete;
  Periodic& operator=(const Periodic&) = delete;

 private:
  struct Thread;
  std::unique_ptr<Thread> thread_;
};

}  // namespace tidemark::state
