#include "tidemark/state/periodic.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace tidemark::state {

struct Periodic::Thread {
  Thread(std::chrono::milliseconds first, Work to_do) : work(std::move(to_do)) {
    thread = std::thread([this, first] { run(first); });
  }
  ~Thread() {
    {
      const std::lock_guard guard(mutex);
      is_stopped = true;
    }
    wake.notify_one();
    thread.join();
  }

  void run(std::chrono::milliseconds first) {
    std::optional<std::chrono::milliseconds> next = first;
    while (next && !wait(*next)) next = work();
  }

  // Whether it is time to stop.
  bool wait(std::chrono::milliseconds time) {
    std::unique_lock guard(mutex);
    return wake.wait_for(guard, time, [this] { return is_stopped; });
  }

  Work work;
  std::mutex mutex;
  std::condition_variable wake;
  bool is_stopped = false;
  std::thread thread;
};

Periodic::Periodic(std::chrono::milliseconds first, Work work)
    : thread_(std::make_unique<Thread>(first, std::move(work))) {}

Periodic::~Periodic() = default;

}  // namespace tidemark::state
