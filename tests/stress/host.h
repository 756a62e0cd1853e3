#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "tidemark/base/clock.h"
#include "tidemark/base/random.h"
#include "tidemark/base/sleeper.h"
#include "tidemark/blob/test_stores.h"
#include "tidemark/os/processes.h"
#include "tidemark/state/context.h"

// For tests: a host whose clock may be wrong, and on which leases and locks age faster than time
// passes.
namespace tidemark::stress {

struct HostOptions {
  // How many times as fast durations pass: a lease of 60 s lasts 6 s at 10.
  int rate = 1;
  // How far the clock is ahead of the true time.
  std::chrono::seconds clock_error{0};
  // Instead of this machine's own; then processes here are those of another host.
  std::string boot_id = {};
  // As in another container: no process here can be seen.
  bool has_other_pids = false;
};

class HostClock final : public Clock {
 public:
  HostClock(const HostOptions& options, int boot_rate)
      : error_(options.clock_error), rate_(options.rate), boot_rate_(boot_rate) {}

  Time now() override { return system_.now() + error_; }
  std::chrono::steady_clock::time_point steady_now() override {
    return std::chrono::steady_clock::time_point(system_.steady_now().time_since_epoch() * rate_);
  }
  std::chrono::microseconds boot_now() override { return system_.boot_now() * boot_rate_; }

 private:
  SystemClock system_;
  const std::chrono::seconds error_;
  const int rate_;
  const int boot_rate_;
};

class HostSleeper final : public Sleeper {
 public:
  explicit HostSleeper(int rate) : rate_(rate) {}

  void sleep(std::chrono::milliseconds time, const Cancellation& cancellation) override {
    system_.sleep(std::chrono::ceil<std::chrono::milliseconds>(time / double(rate_)), cancellation);
  }

 private:
  SystemSleeper system_;
  const int rate_;
};

class HostProcesses final : public os::Processes {
 public:
  explicit HostProcesses(const HostOptions& options) : options_(options) {}

  os::ProcessIdentity self() override {
    os::ProcessIdentity identity = system_.self();
    if (!options_.boot_id.empty()) identity.boot_id = options_.boot_id;
    if (options_.has_other_pids) ++identity.pid_namespace;
    return identity;
  }
  std::optional<uint64_t> start_ticks(int64_t pid) override { return system_.start_ticks(pid); }
  bool has_ended(int64_t pid, uint64_t start) override { return system_.has_ended(pid, start); }
  void kill(const os::ChildProcess& child) override { system_.kill(child); }

 private:
  os::SystemProcesses system_;
  const HostOptions options_;
};

// Another store whose clock is as fast as its hosts'.
class FastStore final : public blob::ForwardingStore {
 public:
  FastStore(std::unique_ptr<blob::BlobStore> inner, int rate)
      : ForwardingStore(*inner), inner_(std::move(inner)), rate_(rate) {}

  Time store_time() override {
    constexpr Time kStart{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};
    return kStart + (inner_->store_time() - kStart) * rate_;
  }

 private:
  std::unique_ptr<blob::BlobStore> inner_;
  const int rate_;
};

class Host {
 public:
  explicit Host(const HostOptions& options)
      : store_clock_(options, 1),
        clock_(options, options.rate),
        sleeper_(options.rate),
        processes_(options) {}

  // For leases, locks and saves.
  state::Context context() { return context_with(clock_); }
  // For stores, whose services' clocks are not faster.
  state::Context store_context() { return context_with(store_clock_); }

 private:
  state::Context context_with(Clock& clock) {
    return {.clock = clock,
            .sleeper = sleeper_,
            .random = random_,
            .processes = processes_,
            .cancellation = cancellation_};
  }

  HostClock store_clock_;
  HostClock clock_;
  HostSleeper sleeper_;
  SystemRandom random_;
  HostProcesses processes_;
  Cancellation cancellation_;
};

}  // namespace tidemark::stress
