#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tidemark/base/clock.h"
#include "tidemark/base/random.h"
#include "tidemark/base/sleeper.h"
#include "tidemark/os/processes.h"
#include "tidemark/state/context.h"

namespace tidemark::state {

// For tests: a clock that moves only when somebody sleeps. Thread-safe.
class TestClock final : public Clock {
 public:
  explicit TestClock(Time start) : micros_(start.time_since_epoch().count()) {}

  Time now() override { return Time(std::chrono::microseconds(micros_.load())); }
  std::chrono::steady_clock::time_point steady_now() override {
    return std::chrono::steady_clock::time_point(boot_now());
  }
  std::chrono::microseconds boot_now() override {
    return std::chrono::microseconds(micros_.load());
  }
  void advance(std::chrono::microseconds by) { micros_ += by.count(); }

 private:
  std::atomic<int64_t> micros_;
};

// For tests: a sleep moves the clock, and lets others do something meanwhile.
class TestSleeper final : public Sleeper {
 public:
  explicit TestSleeper(TestClock& clock) : clock_(clock) {}

  void sleep(std::chrono::milliseconds time, const Cancellation& cancellation) override {
    cancellation.throw_if_cancelled();
    clock_.advance(time);
    slept += time;
    if (meanwhile) meanwhile();
  }

  std::function<void()> meanwhile;
  std::chrono::milliseconds slept{0};

 private:
  TestClock& clock_;
};

// For tests: counts up.
class TestRandom final : public Random {
 public:
  void fill(std::span<uint8_t> bytes) override {
    uint64_t value = ++count_;
    for (uint8_t& byte : bytes) {
      byte = static_cast<uint8_t>(value);
      value >>= 8;
    }
  }

 private:
  std::atomic<uint64_t> count_{0};
};

// For tests: processes that run or not as the test says.
class TestProcesses final : public os::Processes {
 public:
  explicit TestProcesses(os::ProcessIdentity self) : self_(std::move(self)) {
    running[self_.pid] = self_.start_ticks;
  }

  os::ProcessIdentity self() override { return self_; }
  void set_self(os::ProcessIdentity self) { self_ = std::move(self); }
  std::optional<uint64_t> start_ticks(int64_t pid) override {
    const auto it = running.find(pid);
    return it == running.end() ? std::nullopt : std::optional(it->second);
  }
  bool has_ended(int64_t pid, uint64_t ticks) override { return start_ticks(pid) != ticks; }
  void kill(const os::ChildProcess& child) override {
    if (has_ended(child.pid, child.start_ticks)) return;
    running.erase(child.pid);
    killed.push_back(child);
  }

  std::map<int64_t, uint64_t> running;
  std::vector<os::ChildProcess> killed;

 private:
  os::ProcessIdentity self_;
};

// For tests: one process of a world of its own, in which sleeping moves the time.
struct TestWorld {
  explicit TestWorld(int64_t pid = 100)
      : processes({.host = "host",
                   .boot_id = "boot",
                   .pid_namespace = 1,
                   .pid = pid,
                   .start_ticks = static_cast<uint64_t>(pid) * 10}) {}

  TestClock clock{Time(std::chrono::microseconds(1'796'038'497'585'590))};
  TestSleeper sleeper{clock};
  TestRandom random;
  TestProcesses processes;
  Cancellation cancellation;
  Context context{.clock = clock,
                  .sleeper = sleeper,
                  .random = random,
                  .processes = processes,
                  .cancellation = cancellation};
};

}  // namespace tidemark::state
