#include "tidemark/runner/chain.h"

#include <algorithm>
#include <csignal>
#include <deque>
#include <optional>
#include <utility>

#include "tidemark/os/scratch_files.h"
#include "tidemark/runner/lines.h"

namespace tidemark::runner {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTick{100};
constexpr size_t kBytesAtOnce = size_t{64} << 10;
constexpr size_t kLastLines = 5;

// What a plugin says when it writes to nobody: Python ignores SIGPIPE and fails on the error.
bool names_broken_pipe(const std::deque<std::string>& lines) {
  return std::ranges::any_of(lines, [](const std::string& line) {
    return line.find("Broken pipe") != std::string::npos || line.find("EPIPE") != std::string::npos;
  });
}

}  // namespace

struct Chain::Member {
  explicit Member(std::string plugin) : name(std::move(plugin)) {}

  bool is_running() const { return !end; }

  std::string name;
  std::unique_ptr<os::Child> child;
  os::FileDescriptor errors;
  std::string output;  // where its output goes
  LineSplitter lines{kLongestLogLine};
  std::deque<std::string> last_lines;
  std::optional<os::ChildEnd> end;
  Clock::time_point ended_at;
  // Its consumer has ended: since when, and whether it had more to write then.
  std::optional<Clock::time_point> alone_since;
  bool has_more_to_write = false;
  std::optional<Clock::time_point> told_at;  // SIGTERM
  bool is_killed = false;
};

Chain::Chain(std::vector<Launch> launches, const GracePeriods& grace) : grace_(grace) {
  for (const Launch& launch : launches) {
    members_.push_back(std::make_unique<Member>(launch.name));
  }
  os::Pipe following = os::make_pipe();
  output_ = std::move(following.read);
  for (size_t i = launches.size(); i-- > 0;) {
    Member& member = *members_[i];
    os::Pipe input = i > 0 ? os::make_pipe() : os::Pipe();
    if (!launches[i].input.empty()) input.read = os::open_to_read(launches[i].input);
    os::Pipe errors = os::make_pipe();
    member.child = os::Child::start({.program = launches[i].program,
                                     .arguments = launches[i].arguments,
                                     .environment = launches[i].environment,
                                     .in = input.read.get(),
                                     .out = following.write.get(),
                                     .err = errors.write.get()});
    member.output = os::descriptor_target(following.write.get());
    member.errors = std::move(errors.read);
    following = std::move(input);
    if (i > 0 && launches[i - 1].look) put_relay_before(following, std::move(launches[i - 1].look));
  }
}

// What is written into the pipe comes through a relay from now on.
void Chain::put_relay_before(os::Pipe& pipe, Look look) {
  os::Pipe front = os::make_pipe();
  relays_.push_back(
      std::make_unique<Relay>(std::move(front.read), std::move(pipe.write), std::move(look)));
  pipe.write = std::move(front.write);
}

Chain::~Chain() = default;

std::vector<os::ChildProcess> Chain::processes() const {
  std::vector<os::ChildProcess> processes;
  processes.reserve(members_.size());
  for (const auto& member : members_) processes.push_back(member->child->process());
  return processes;
}

// One call of wait().
class Chain::Waiter {
 public:
  Waiter(Chain& chain, const Events& events) : chain_(chain), events_(events) {}

  std::vector<PluginEnd> wait() {
    while (!is_done()) {
      read_what_is_there();
      note_ends();
      stop_whom_it_concerns();
    }
    return ends();
  }

 private:
  bool is_running() const {
    return std::ranges::any_of(members(), [](const auto& member) { return member->is_running(); });
  }

  bool is_done() const {
    if (is_running()) return false;
    Clock::time_point last{};
    bool is_open = chain_.output_.is_open();
    for (const auto& member : members()) {
      last = std::max(last, member->ended_at);
      is_open = is_open || member->errors.is_open();
    }
    // Something that a plugin left running may hold its output open for ever.
    return !is_open || Clock::now() - last >= chain_.grace_.to_close;
  }

  void read_what_is_there() {
    std::vector<int> descriptors;
    if (chain_.output_.is_open()) descriptors.push_back(chain_.output_.get());
    for (const auto& member : members()) {
      if (member->errors.is_open()) descriptors.push_back(member->errors.get());
      if (member->is_running()) descriptors.push_back(member->child->end_descriptor());
    }
    const std::vector<bool> ready = os::wait_readable(descriptors, kTick);
    const auto is_ready = [&](const os::FileDescriptor& descriptor) {
      const auto found = std::ranges::find(descriptors, descriptor.get());
      return descriptor.is_open() && found != descriptors.end() &&
             ready[static_cast<size_t>(found - descriptors.begin())];
    };
    if (is_ready(chain_.output_)) read_output();
    for (size_t i = 0; i < members().size(); ++i) {
      if (is_ready(members()[i]->errors)) read_errors(i);
    }
  }

  void read_output() {
    const std::string bytes = os::read_some(chain_.output_, kBytesAtOnce);
    if (bytes.empty()) {
      chain_.output_ = os::FileDescriptor();
    } else {
      events_.output(bytes);
    }
  }

  void read_errors(size_t index) {
    Member& member = *members()[index];
    const auto visit = [&](std::string_view line) {
      const std::string text = readable(line);
      if (text.empty()) return;
      member.last_lines.push_back(text);
      if (member.last_lines.size() > kLastLines) member.last_lines.pop_front();
      events_.log_line(index, text);
    };
    const std::string bytes = os::read_some(member.errors, kBytesAtOnce);
    if (bytes.empty()) {
      member.errors = os::FileDescriptor();
      member.lines.finish(visit);
    } else {
      member.lines.add(bytes, visit);
    }
  }

  void note_ends() {
    for (size_t i = 0; i < members().size(); ++i) {
      Member& member = *members()[i];
      if (!member.is_running()) continue;
      member.end = member.child->end();
      if (member.is_running()) continue;
      member.ended_at = Clock::now();
      if (i > 0) note_lost_consumer(*members()[i - 1]);
    }
  }

  // A consumer that came to the end of its input leaves nobody behind that could still write to it.
  void note_lost_consumer(Member& producer) {
    if (producer.child->end()) return;
    producer.alone_since = Clock::now();
    producer.has_more_to_write = producer.child->output_target() == producer.output;
  }

  void stop_whom_it_concerns() {
    const Stop stop = events_.ask ? events_.ask() : Stop::kNo;
    const Clock::time_point now = Clock::now();
    if (stop == Stop::kKill) {
      for (const auto& member : members()) kill(*member);
      return;
    }
    for (size_t i = 0; i < members().size(); ++i) {
      Member& member = *members()[i];
      if (!member.is_running()) continue;
      const bool is_alone =
          member.alone_since && now - *member.alone_since >= chain_.grace_.to_notice;
      const bool is_first_to_stop = stop == Stop::kDrain && i == 0;
      const bool drains_too_long = stop == Stop::kDrain && i > 0 && has_drained(i, now);
      if (is_alone || is_first_to_stop || drains_too_long) tell_to_end(member, now);
      if (member.told_at && now - *member.told_at >= chain_.grace_.to_end) kill(member);
    }
  }

  // Whether its producer has been gone for as long as it had to finish.
  bool has_drained(size_t index, Clock::time_point now) const {
    const Member& producer = *members()[index - 1];
    return !producer.is_running() && now - producer.ended_at >= chain_.grace_.to_drain;
  }

  static void tell_to_end(Member& member, Clock::time_point now) {
    if (member.told_at) return;
    member.told_at = now;
    member.child->send_signal(SIGTERM);
  }

  static void kill(Member& member) {
    if (!member.is_running() || member.is_killed) return;
    member.is_killed = true;
    member.child->send_signal(SIGKILL);
  }

  std::vector<PluginEnd> ends() const {
    std::vector<PluginEnd> ends;
    for (size_t i = 0; i < members().size(); ++i) {
      const Member& member = *members()[i];
      const bool was_stopped = member.told_at || member.is_killed;
      ends.push_back({.name = member.name,
                      .end = *member.end,
                      .was_stopped = was_stopped,
                      .lost_its_consumer = has_lost_its_consumer(i, was_stopped),
                      .last_lines = {member.last_lines.begin(), member.last_lines.end()}});
      ends.back().ended_early =
          i > 0 && ends[i - 1].lost_its_consumer && !was_stopped && ends.back().end.is_success();
    }
    return ends;
  }

  // A plugin that finds nobody to write to may say "Broken pipe" before its consumer is known to
  // have ended; one that says so of something else has a consumer that ended well, behind it.
  bool has_lost_its_consumer(size_t index, bool was_stopped) const {
    if (index + 1 == members().size()) return false;
    const Member& member = *members()[index];
    if (was_stopped) return member.has_more_to_write;
    if (member.end->signal == SIGPIPE) return true;
    const bool is_blamed = member.has_more_to_write || !members()[index + 1]->end->is_success();
    return is_blamed && !member.end->is_success() && names_broken_pipe(member.last_lines);
  }

  const std::vector<std::unique_ptr<Member>>& members() const { return chain_.members_; }

  Chain& chain_;
  const Events& events_;
};

std::vector<PluginEnd> Chain::wait(const Events& events) { return Waiter(*this, events).wait(); }

}  // namespace tidemark::runner
