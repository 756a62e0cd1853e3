#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tidemark::os {

// Tells a process apart from every other one, also from a later one with the same pid.
struct ProcessIdentity {
  std::string host = {};
  std::string boot_id = {};    // new each time the machine starts
  uint64_t pid_namespace = 0;  // inode of /proc/self/ns/pid
  int64_t pid = 0;
  uint64_t start_ticks = 0;  // since the machine started

  bool operator==(const ProcessIdentity&) const = default;
};

// A process that another one started, as the leader of a group of its own.
struct ChildProcess {
  int64_t pid = 0;
  int64_t group = 0;
  uint64_t start_ticks = 0;

  bool operator==(const ChildProcess&) const = default;
};

// The processes of this machine. Passed to whatever asks about them. Thread-safe.
class Processes {
 public:
  virtual ~Processes() = default;

  virtual ProcessIdentity self() = 0;
  // When the process with this pid started; nothing when it has ended, a zombie included.
  virtual std::optional<uint64_t> start_ticks(int64_t pid) = 0;
  // Whether the process that started then with this pid has ended, a zombie included. False as well
  // where the system hides the processes of other users: nobody is declared dead by a guess.
  virtual bool has_ended(int64_t pid, uint64_t start_ticks) = 0;
  // SIGKILL to the child's group, if it is still the one that was meant, also when the child itself
  // has ended; returns when all of the group have. Error kTimeout after 10 s, kUnauthorized for a
  // process of another user, kCorrupt when the child is not the leader of a group: what names it
  // was written by somebody else.
  virtual void kill(const ChildProcess& child) = 0;
};

// By /proc.
class SystemProcesses final : public Processes {
 public:
  ProcessIdentity self() override;
  std::optional<uint64_t> start_ticks(int64_t pid) override;
  bool has_ended(int64_t pid, uint64_t start_ticks) override;
  void kill(const ChildProcess& child) override;
};

}  // namespace tidemark::os
