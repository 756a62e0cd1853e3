#include "tidemark/os/processes.h"

#include <array>
#include <csignal>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tidemark/base/error.h"

namespace tidemark::os {
namespace {

// A child of its own group that waits to be ended.
class Child {
 public:
  Child() : pid_(::fork()) {
    if (pid_ == 0) {
      ::setpgid(0, 0);
      for (;;) ::pause();
    }
    ::setpgid(pid_, pid_);
  }
  ~Child() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  int64_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

TEST(Processes, NamesThisProcess) {
  SystemProcesses processes;
  const ProcessIdentity self = processes.self();
  EXPECT_EQ(self.pid, ::getpid());
  EXPECT_EQ(self.boot_id.size(), 36U);
  EXPECT_NE(self.pid_namespace, 0U);
  EXPECT_EQ(processes.start_ticks(self.pid), self.start_ticks);
}

TEST(Processes, KillsTheChildThatWasMeantAndAZombieIsGone) {
  SystemProcesses processes;
  const Child child;
  const auto ticks = processes.start_ticks(child.pid());
  ASSERT_TRUE(ticks.has_value());
  processes.kill({.pid = child.pid(), .group = child.pid(), .start_ticks = *ticks + 1});
  EXPECT_EQ(processes.start_ticks(child.pid()), ticks) << "another process had that pid";
  processes.kill({.pid = child.pid(), .group = child.pid(), .start_ticks = *ticks});
  EXPECT_EQ(processes.start_ticks(child.pid()), std::nullopt) << "nobody has waited for it yet";
}

// A group of two: `first` leads it and ends, `second` stays.
class OrphanedGroup {
 public:
  // The leader stays a zombie until reap().
  OrphanedGroup() {
    std::array<int, 2> pipe{};
    EXPECT_EQ(::pipe(pipe.data()), 0);
    leader_ = ::fork();
    if (leader_ == 0) {
      ::setpgid(0, 0);
      const pid_t second = ::fork();
      if (second == 0) {
        for (;;) ::pause();
      }
      (void)!::write(pipe[1], &second, sizeof second);
      ::_exit(0);
    }
    EXPECT_EQ(::read(pipe[0], &second_, sizeof second_), static_cast<ssize_t>(sizeof second_));
    ticks_ = SystemProcesses().start_ticks(second_).value_or(0);
    ::siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(leader_), &info, WEXITED | WNOWAIT);
    ::close(pipe[0]);
    ::close(pipe[1]);
  }
  ~OrphanedGroup() {
    ::kill(second_, SIGKILL);
    ::waitpid(leader_, nullptr, 0);
  }
  void reap() const { ::waitpid(leader_, nullptr, 0); }
  // As if the leader had started so much earlier than the other one.
  ChildProcess child(uint64_t earlier) const {
    return {.pid = leader_, .group = leader_, .start_ticks = ticks_ - earlier};
  }
  bool is_alive() const { return !SystemProcesses().has_ended(second_, ticks_); }

 private:
  pid_t leader_ = 0;
  pid_t second_ = 0;
  uint64_t ticks_ = 0;
};

TEST(Processes, EndsTheGroupOfAChildThatHasEndedItself) {
  OrphanedGroup group;
  group.reap();
  SystemProcesses().kill(group.child(0));
  EXPECT_FALSE(group.is_alive());
}

TEST(Processes, EndsTheGroupOfAChildThatNobodyHasWaitedFor) {
  const OrphanedGroup group;
  // It was started before the other one, in the same tick or the one before.
  for (const uint64_t earlier : {0, 1}) SystemProcesses().kill(group.child(earlier));
  EXPECT_FALSE(group.is_alive());
}

TEST(Processes, LeavesAGroupThatMayBeAnothersByNow) {
  OrphanedGroup group;
  group.reap();
  SystemProcesses().kill(group.child(1'000));
  EXPECT_TRUE(group.is_alive()) << "it started long after the child that was meant";
}

TEST(Processes, KnowsNothingOfAPidThatNobodyHas) {
  EXPECT_EQ(SystemProcesses().start_ticks(1'000'000'000), std::nullopt);
  EXPECT_TRUE(SystemProcesses().has_ended(1'000'000'000, 7));
  EXPECT_TRUE(SystemProcesses().has_ended(int64_t{1} << 40, 7));
}

TEST(Processes, TellsALiveProcessFromOneThatHadItsPidAndFromAZombie) {
  SystemProcesses processes;
  const Child child;
  const uint64_t ticks = processes.start_ticks(child.pid()).value_or(0);
  EXPECT_FALSE(processes.has_ended(child.pid(), ticks));
  EXPECT_TRUE(processes.has_ended(child.pid(), ticks + 1));
  ::kill(static_cast<pid_t>(child.pid()), SIGKILL);
  ::siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(child.pid()), &info, WEXITED | WNOWAIT);
  EXPECT_TRUE(processes.has_ended(child.pid(), ticks));
}

// The record of a lease lies in a bucket that others may write: to kill(2), group 1 is every
// process of the user, group 0 our own.
TEST(Processes, EndNoGroupThatIsNotTheChildsOwn) {
  SystemProcesses processes;
  const Child child;
  const uint64_t ticks = processes.start_ticks(child.pid()).value_or(0);
  for (const int64_t group : {int64_t{0}, int64_t{1}, int64_t{-1}, (int64_t{1} << 32) + 1}) {
    try {
      processes.kill({.pid = child.pid(), .group = group, .start_ticks = ticks});
      FAIL() << group;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCorrupt) << group;
    }
  }
  EXPECT_FALSE(processes.has_ended(child.pid(), ticks));
}

}  // namespace
}  // namespace tidemark::os
