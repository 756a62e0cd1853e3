#include "tidemark/os/processes.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <limits>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>

#include "tidemark/base/error.h"
#include "tidemark/os/files.h"
#include "tidemark/os/process.h"

namespace tidemark::os {
namespace {

struct ProcessStatus {
  char state = '?';
  int64_t group = 0;
  uint64_t start_ticks = 0;
};

// Field `index` of /proc/PID/stat, counted from the one behind the name. The name may hold blanks
// and brackets, so fields are counted from its last bracket.
std::string_view stat_field(std::string_view stat, int index) {
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return {};
  stat.remove_prefix(name_end + 1);
  for (; index >= 0; --index) {
    const size_t blank = stat.find(' ');
    if (blank == std::string_view::npos) return {};
    stat.remove_prefix(blank + 1);
  }
  return stat.substr(0, stat.find_first_of(" \n"));
}

// https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: state is field 3, pgrp 5,
// starttime 22.
ProcessStatus parse_status(std::string_view stat) {
  ProcessStatus status;
  const std::string_view state = stat_field(stat, 0);
  if (!state.empty()) status.state = state.front();
  const std::string_view group = stat_field(stat, 2);
  std::from_chars(group.data(), group.data() + group.size(), status.group);
  const std::string_view ticks = stat_field(stat, 19);
  std::from_chars(ticks.data(), ticks.data() + ticks.size(), status.start_ticks);
  return status;
}

std::optional<ProcessStatus> find_status(int64_t pid) {
  try {
    const auto stat = read_file_if_exists(fmt::format("/proc/{}/stat", pid));
    return stat ? std::optional(parse_status(*stat)) : std::nullopt;
  } catch (const Error&) {
    // A process that ends while it is read answers ESRCH.
    return std::nullopt;
  }
}

// 1 and below mean other things than one process to kill(2).
bool is_pid(int64_t pid) { return pid > 1 && pid <= std::numeric_limits<pid_t>::max(); }

bool is_dead(const ProcessStatus& status) { return status.state == 'Z' || status.state == 'X'; }

// Those of a group that have not ended, with when they started.
std::vector<ProcessStatus> live_members(int64_t group) {
  std::vector<ProcessStatus> members;
  for (const Entry& entry : list_entries("/proc")) {
    int64_t pid = 0;
    const char* end = entry.name.data() + entry.name.size();
    if (std::from_chars(entry.name.data(), end, pid).ptr != end) continue;
    const auto status = find_status(pid);
    if (status && status->group == group && !is_dead(*status)) members.push_back(*status);
  }
  return members;
}

// Whether the group of that number is still the one that the child led. When the child is gone, a
// member that started together with it shows that: no other process can have had the number in so
// short a time, and none gets it while the group has members.
bool is_group_of(const ChildProcess& child) {
  constexpr uint64_t kTogether = 100;  // ticks: a second
  if (const auto leader = find_status(child.pid)) return leader->start_ticks == child.start_ticks;
  return std::ranges::any_of(live_members(child.group), [&](const ProcessStatus& member) {
    return member.start_ticks >= child.start_ticks &&
           member.start_ticks - child.start_ticks <= kTogether;
  });
}

std::string boot_id() {
  std::string id = read_file_if_exists("/proc/sys/kernel/random/boot_id").value_or("");
  while (!id.empty() && id.back() == '\n') id.pop_back();
  return id;
}

uint64_t pid_namespace() {
  struct stat status{};
  return ::stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

}  // namespace

ProcessIdentity SystemProcesses::self() {
  const int64_t pid = process_id();
  const auto status = find_status(pid);
  return {.host = host_name(),
          .boot_id = boot_id(),
          .pid_namespace = pid_namespace(),
          .pid = pid,
          .start_ticks = status ? status->start_ticks : 0};
}

std::optional<uint64_t> SystemProcesses::start_ticks(int64_t pid) {
  const auto status = find_status(pid);
  if (!status || is_dead(*status)) return std::nullopt;
  return status->start_ticks;
}

bool SystemProcesses::has_ended(int64_t pid, uint64_t start_ticks) {
  if (!is_pid(pid)) return true;
  if (::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH) return true;
  const auto status = find_status(pid);
  return status && (is_dead(*status) || status->start_ticks != start_ticks);
}

void SystemProcesses::kill(const ChildProcess& child) {
  if (!is_pid(child.pid) || child.group != child.pid) {
    throw Error(
        ErrorCode::kCorrupt,
        fmt::format("process {} of group {} is no child of an earlier run: nothing is ended",
                    child.pid, child.group));
  }
  if (!is_group_of(child)) return;
  if (::kill(static_cast<pid_t>(-child.group), SIGKILL) != 0 && errno != ESRCH) {
    throw Error(ErrorCode::kUnauthorized,
                fmt::format("cannot end process {}, which an earlier run left behind", child.pid));
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!live_members(child.group).empty()) {
    if (std::chrono::steady_clock::now() > deadline) {
      throw Error(ErrorCode::kTimeout,
                  fmt::format("the group of process {}, which an earlier run left behind, does not "
                              "end",
                              child.pid));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace tidemark::os
