#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/os/child.h"
#include "tidemark/os/environment.h"
#include "tidemark/os/files.h"
#include "tidemark/os/processes.h"
#include "tidemark/runner/relay.h"

namespace tidemark::runner {

// A program as it is to be started.
struct Launch {
  std::string name;  // of the plugin, for messages
  os::Path program;
  std::vector<std::string> arguments;
  os::Environment environment;
  os::Path input = {};  // a file that the first of a chain reads; empty: nothing
  // Shown what it writes to the next of a chain, on another thread. Empty: the bytes go from one to
  // the other without passing through us.
  Look look = {};
};

// What the run is to come to, if not its own end.
enum class Stop {
  kNo,
  // The first plugin is stopped; those behind it finish what they have.
  kDrain,
  // All are ended at once.
  kKill,
};

// How long plugins are given to end.
struct GracePeriods {
  // For a plugin whose consumer has gone, to notice it.
  std::chrono::milliseconds to_notice{2'000};
  // From SIGTERM to SIGKILL.
  std::chrono::milliseconds to_end{8'000};
  // For those behind a plugin that was stopped, to finish, before they get SIGTERM.
  std::chrono::milliseconds to_drain{10'000};
  // For what a plugin left running to let go of its output.
  std::chrono::milliseconds to_close{2'000};
};

// How one plugin of a chain ended.
struct PluginEnd {
  std::string name;
  os::ChildEnd end = {};
  // It was ended by us, and not for a fault of its own.
  bool was_stopped = false;
  // Its consumer went while it had more to write, and that is what it died of.
  bool lost_its_consumer = false;
  // It ended well, but while there was more for it to read.
  bool ended_early = false;
  std::vector<std::string> last_lines = {};  // of its standard error

  // For a reason of its own.
  bool has_failed() const {
    return ended_early || (!end.is_success() && !was_stopped && !lost_its_consumer);
  }
};

// A tap, mappers and a target, each one's output being the input of the next.
class Chain {
 public:
  struct Events {
    // A line of a plugin's standard error.
    std::function<void(size_t plugin, std::string_view line)> log_line;
    // What the last one writes to its standard output, in pieces.
    std::function<void(std::string_view bytes)> output;
    // Asked ten times a second; may be empty.
    std::function<Stop()> ask = {};
  };

  // Of a plugin's standard error; longer ones are cut.
  static constexpr size_t kLongestLogLine = size_t{64} << 10;

  // Starts all, the last one first. Error when one cannot be started: then none runs.
  Chain(std::vector<Launch> launches, const GracePeriods& grace);
  // Ends what still runs. No look is called any more.
  ~Chain();
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  std::vector<os::ChildProcess> processes() const;
  // Returns when all have ended and what they wrote is read; one that dies ends the others. Throws
  // what an event throws. To be called once.
  std::vector<PluginEnd> wait(const Events& events);

 private:
  struct Member;
  class Waiter;

  void put_relay_before(os::Pipe& pipe, Look look);

  GracePeriods grace_;
  std::vector<std::unique_ptr<Member>> members_;
  std::vector<std::unique_ptr<Relay>> relays_;
  os::FileDescriptor output_;
};

}  // namespace tidemark::runner
