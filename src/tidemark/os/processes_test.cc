#include "tidemark/os/processes.h"

#include <csignal>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

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

TEST(Processes, KnowsNothingOfAPidThatNobodyHas) {
  EXPECT_EQ(SystemProcesses().start_ticks(1'000'000'000), std::nullopt);
}

}  // namespace
}  // namespace tidemark::os
