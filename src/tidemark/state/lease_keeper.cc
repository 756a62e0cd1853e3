#include <condition_variable>
#include <thread>
#include <utility>

#include "tidemark/base/error.h"
#include "tidemark/state/lease.h"

namespace tidemark::state {
namespace {

// After a renewal that failed, as a part of the pause after one that succeeded.
constexpr int kRetries = 10;

}  // namespace

struct LeaseKeeper::Thread {
  Thread(Lease& kept, std::chrono::milliseconds between, std::function<void()> on_lost)
      : lease(kept), pause(between), lost(std::move(on_lost)) {
    thread = std::thread([this] { run(); });
  }
  ~Thread() {
    {
      const std::lock_guard guard(mutex);
      is_stopped = true;
    }
    wake.notify_one();
    thread.join();
  }

  void run() {
    auto next = pause;
    while (!wait(next)) {
      const bool is_renewed = renew();
      if (!is_renewed && !lease.may_save()) return lost();
      next = is_renewed ? pause : pause / kRetries;
    }
  }

  // Whether it succeeded. What the store says against it is said by the save that follows.
  bool renew() {
    try {
      return lease.renew();
    } catch (const Error&) {
      return false;
    }
  }

  // Whether it is time to stop.
  bool wait(std::chrono::milliseconds time) {
    std::unique_lock guard(mutex);
    return wake.wait_for(guard, time, [this] { return is_stopped; });
  }

  Lease& lease;
  std::chrono::milliseconds pause;
  std::function<void()> lost;
  std::mutex mutex;
  std::condition_variable wake;
  bool is_stopped = false;
  std::thread thread;
};

LeaseKeeper::LeaseKeeper(Lease& lease, std::chrono::milliseconds pause, std::function<void()> lost)
    : thread_(std::make_unique<Thread>(lease, pause, std::move(lost))) {}

LeaseKeeper::~LeaseKeeper() = default;

}  // namespace tidemark::state
