#include "tidemark/os/child.h"

#include <csignal>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tidemark/base/error.h"
#include "tidemark/os/temp_directory.h"

namespace tidemark::os {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

ChildOptions shell(const std::string& script) {
  return {.program = "/bin/sh",
          .arguments = {"-c", script},
          .environment = Environment{{"PATH", "/usr/bin:/bin"}}};
}

ChildEnd wait_for(const Child& child) {
  wait_readable({child.end_descriptor()}, seconds(20));
  return child.end().value_or(ChildEnd{.exit_code = -1});
}

std::string read_all(const FileDescriptor& descriptor) {
  std::string all;
  for (std::string some = read_some(descriptor, 4096); !some.empty();) {
    all += some;
    some = read_some(descriptor, 4096);
  }
  return all;
}

// What a shell script prints.
std::string output_of(const std::string& script) {
  Pipe pipe = make_pipe();
  ChildOptions options = shell(script);
  options.out = pipe.write.get();
  const auto child = Child::start(options);
  pipe.write = FileDescriptor();
  return read_all(pipe.read);
}

bool ends_within(int64_t pid, uint64_t start_ticks, milliseconds patience) {
  SystemProcesses processes;
  for (milliseconds waited{0}; waited < patience; waited += milliseconds(10)) {
    if (processes.has_ended(pid, start_ticks)) return true;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return false;
}

TEST(Child, SaysHowItEnded) {
  EXPECT_EQ(wait_for(*Child::start(shell("exit 3"))), (ChildEnd{.exit_code = 3}));
  EXPECT_EQ(wait_for(*Child::start(shell("kill -TERM $$"))), (ChildEnd{.signal = SIGTERM}));
  EXPECT_EQ(describe(ChildEnd{.exit_code = 3}), "exit code 3");
  EXPECT_EQ(describe(ChildEnd{.signal = SIGKILL}), "signal 9 (Killed)");
}

TEST(Child, RunsUntilItHasEnded) {
  Pipe pipe = make_pipe();
  ChildOptions options = shell("read line; exit 0");
  options.in = pipe.read.get();
  const auto child = Child::start(options);
  EXPECT_FALSE(child->end());
  EXPECT_EQ(wait_readable({child->end_descriptor()}, milliseconds(0)), std::vector{false});
  pipe.write = FileDescriptor();
  pipe.read = FileDescriptor();
  EXPECT_TRUE(wait_for(*child).is_success());
}

TEST(Child, OfAProgramThatCannotBeRunIsAnError) {
  try {
    Child::start({.program = "/no/such/program"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
    EXPECT_EQ(error.message(), "cannot start /no/such/program: No such file or directory");
  }
  EXPECT_THROW(Child::start({.program = "/etc/passwd"}), Error);
}

TEST(Child, HasTheEnvironmentAndTheFolderItWasGivenAndNothingElse) {
  Pipe pipe = make_pipe();
  const auto child = Child::start({.program = "/usr/bin/env",
                                   .environment = Environment{{"A", "1"}, {"B", "x=y"}},
                                   .out = pipe.write.get()});
  pipe.write = FileDescriptor();
  EXPECT_EQ(read_all(pipe.read), "A=1\nB=x=y\n");

  Pipe second = make_pipe();
  ChildOptions options = shell("pwd; readlink /proc/self/fd/0");
  options.directory = "/usr";
  options.out = second.write.get();
  const auto other = Child::start(options);
  second.write = FileDescriptor();
  EXPECT_EQ(read_all(second.read), "/usr\n/dev/null\n");
}

TEST(Child, InheritsNoDescriptorOfOurs) {
  const FileDescriptor leaking(::open("/dev/null", O_RDONLY));  // without O_CLOEXEC
  Pipe pipe = make_pipe();
  const auto child =
      Child::start({.program = "/bin/ls", .arguments = {"/proc/self/fd"}, .out = pipe.write.get()});
  pipe.write = FileDescriptor();
  EXPECT_EQ(read_all(pipe.read), "0\n1\n2\n3\n");  // 3 is the folder that is listed
}

// The signals of a mask in /proc/PID/status, without the two that glibc keeps for itself: what
// somebody set for them, nobody can take back.
uint64_t signals_of(const std::string& status, std::string_view mask) {
  constexpr uint64_t kOfGlibc = uint64_t{3} << 31;
  return std::stoull(status.substr(status.find(mask) + mask.size()), nullptr, 16) & ~kOfGlibc;
}

TEST(Child, HasNoSignalBlockedOrIgnored) {
  sigset_t blocked;
  sigset_t earlier;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &blocked, &earlier);
  auto* const handler = std::signal(SIGPIPE, SIG_IGN);
  const std::string status = output_of("grep -E 'Sig(Blk|Ign)' /proc/self/status");
  std::signal(SIGPIPE, handler);
  pthread_sigmask(SIG_SETMASK, &earlier, nullptr);
  EXPECT_EQ(signals_of(status, "SigBlk:"), 0U) << status;
  EXPECT_EQ(signals_of(status, "SigIgn:"), 0U) << status;
}

// This process without its standard streams.
class ClosedStreams {
 public:
  ClosedStreams() {
    for (int number = 0; number < 3; ++number) {
      kept_[number] = ::fcntl(number, F_DUPFD_CLOEXEC, 10);
      ::close(number);
    }
  }
  ~ClosedStreams() {
    for (int number = 0; number < 3; ++number) {
      ::dup2(kept_[number], number);
      ::close(kept_[number]);
    }
  }
  ClosedStreams(const ClosedStreams&) = delete;
  ClosedStreams& operator=(const ClosedStreams&) = delete;

 private:
  int kept_[3] = {};
};

// What reports the failure of exec has the number of one of the child's streams then.
TEST(Child, IsReportedThatCannotStartWhereStandardStreamsAreClosed) {
  ErrorCode code = ErrorCode::kInternal;
  {
    const ClosedStreams closed;
    try {
      Child::start({.program = "/none"});
    } catch (const Error& error) {
      code = error.code();
    }
  }
  EXPECT_EQ(code, ErrorCode::kNotFound);
}

TEST(Child, WritesStraightIntoTheNextOne) {
  Pipe between = make_pipe();
  Pipe result = make_pipe();
  ChildOptions consumer = shell("wc -c");
  consumer.in = between.read.get();
  consumer.out = result.write.get();
  ChildOptions producer = shell("head -c 300000 /dev/zero");
  producer.out = between.write.get();
  const auto second = Child::start(consumer);
  const auto first = Child::start(producer);
  between = {};
  result.write = FileDescriptor();
  EXPECT_EQ(read_all(result.read), "300000\n");
  EXPECT_TRUE(wait_for(*first).is_success());
  EXPECT_TRUE(wait_for(*second).is_success());
}

TEST(Child, HasItsOutputOpenUntilItClosesIt) {
  Pipe input = make_pipe();
  Pipe output = make_pipe();
  ChildOptions options = shell("read line; exec >&- 2>&-; read line");
  Pipe errors = make_pipe();
  options.in = input.read.get();
  options.out = output.write.get();
  options.err = errors.write.get();
  const auto child = Child::start(options);
  errors.write = FileDescriptor();
  const std::string target = descriptor_target(output.read.get());
  EXPECT_TRUE(target.starts_with("pipe:["));
  EXPECT_EQ(child->output_target(), target);
  write_all(input.write, "\n", "pipe");
  EXPECT_EQ(read_some(errors.read, 100), "");
  EXPECT_EQ(child->output_target(), "");
}

TEST(Child, AndWhatItStartedGetTheSignal) {
  Pipe pipe = make_pipe();
  ChildOptions options = shell("sleep 1000 & echo $!; wait");
  options.out = pipe.write.get();
  const auto child = Child::start(options);
  const int64_t grandchild = std::stoll(read_some(pipe.read, 100));
  const auto ticks = SystemProcesses().start_ticks(grandchild);
  ASSERT_TRUE(ticks);
  child->send_signal(SIGTERM);
  EXPECT_EQ(wait_for(*child), (ChildEnd{.signal = SIGTERM}));
  EXPECT_TRUE(ends_within(grandchild, *ticks, seconds(10)));
}

TEST(Child, EndsWithItsHandleAndSoDoesWhatItLeftBehind) {
  Pipe pipe = make_pipe();
  ChildOptions options = shell("sleep 1000 & echo $!");
  options.out = pipe.write.get();
  auto child = Child::start(options);
  const int64_t grandchild = std::stoll(read_some(pipe.read, 100));
  const auto ticks = SystemProcesses().start_ticks(grandchild);
  ASSERT_TRUE(ticks);
  EXPECT_TRUE(wait_for(*child).is_success());
  child.reset();
  EXPECT_TRUE(ends_within(grandchild, *ticks, seconds(10)));
}

// A process that is killed cannot tidy up: the kernel does.
TEST(Child, EndsWhenItsParentIsKilled) {
  Pipe pipe = make_pipe();
  const pid_t parent = ::fork();
  if (parent == 0) {
    const auto child = Child::start(shell("exec sleep 1000"));
    const std::string pid = fmt::format("{}\n", child->process().pid);
    write_all(pipe.write, pid, "pipe");
    ::pause();
    ::_exit(0);
  }
  pipe.write = FileDescriptor();
  const int64_t child = std::stoll(read_some(pipe.read, 100));
  const auto ticks = SystemProcesses().start_ticks(child);
  ASSERT_TRUE(ticks);
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  EXPECT_TRUE(ends_within(child, *ticks, seconds(10)));
}

TEST(FindProgram, LooksInTheFoldersOfThePathInTheirOrder) {
  const TempDirectory directory;
  const Environment environment{{"PATH", (directory / "a").native() + ":" + "b"}};
  make_directories(directory / "a");
  make_directories(directory / "b");
  write_new_file(directory / "a" / "tap", "no program");
  write_new_file(directory / "b" / "tap", "#!/bin/sh\n");
  EXPECT_EQ(find_program("tap", environment, directory.path()), std::nullopt);
  std::filesystem::permissions(directory / "b" / "tap", std::filesystem::perms::owner_all);
  EXPECT_EQ(find_program("tap", environment, directory.path()), directory / "b" / "tap");
  EXPECT_EQ(find_program("b/tap", environment, directory.path()), directory / "b/tap");
  EXPECT_EQ(find_program("/bin/sh", environment, directory.path()), Path("/bin/sh"));
  EXPECT_EQ(find_program("", environment, directory.path()), std::nullopt);
}

}  // namespace
}  // namespace tidemark::os
