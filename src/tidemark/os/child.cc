#include "tidemark/os/child.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tidemark::os {
namespace {

// No signal reaches this thread, and none its copy in a fork, while it lives.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &earlier_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &earlier_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t earlier_{};
};

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// All that the new process needs, made ready before there is one: between fork and exec it may
// neither allocate nor lock.
struct Launch {
  explicit Launch(const ChildOptions& wanted)
      : options(wanted), words{options.program.native()}, parent(getpid()) {
    words.insert(words.end(), options.arguments.begin(), options.arguments.end());
    for (const auto& [name, value] : options.environment.variables()) {
      variables.push_back(fmt::format("{}={}", name, value));
    }
    argv = pointers(words);
    envp = pointers(variables);
  }

  const ChildOptions& options;
  std::vector<std::string> words;
  std::vector<std::string> variables;
  std::vector<char*> argv;
  std::vector<char*> envp;
  pid_t parent;
};

[[noreturn]] void give_up(int report, int error) {
  // Whoever does not get it sees a child that ended with 127.
  [[maybe_unused]] const ssize_t written = ::write(report, &error, sizeof error);
  ::_exit(127);
}

void reset_signals() {
  struct sigaction reset{};
  reset.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &reset, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// The three may name each other's numbers: all are copied out of the way first.
bool take_descriptors(const std::array<int, 3>& wanted) {
  std::array<int, 3> copies{};
  for (size_t i = 0; i < wanted.size(); ++i) {
    copies[i] = wanted[i] >= 0 ? ::fcntl(wanted[i], F_DUPFD_CLOEXEC, 3)
                               : ::open("/dev/null", O_RDWR | O_CLOEXEC);
    if (copies[i] < 0) return false;
    if (copies[i] > 2) continue;
    copies[i] = ::fcntl(copies[i], F_DUPFD_CLOEXEC, 3);
    if (copies[i] < 0) return false;
  }
  for (int number = 0; number < 3; ++number) {
    if (::dup2(copies[static_cast<size_t>(number)], number) < 0) return false;
  }
  return true;
}

// In the new process.
[[noreturn]] void become(const Launch& launch, int report) {
  const ChildOptions& options = launch.options;
  if (options.has_own_group && ::setpgid(0, 0) != 0) give_up(report, errno);
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up(report, errno);
  // The parent may have ended before its death could be reported.
  if (::getppid() != launch.parent) ::_exit(127);
  // Of a parent without standard streams it may be one of the numbers that are taken now.
  const int out_of_the_way = ::fcntl(report, F_DUPFD_CLOEXEC, 3);
  if (out_of_the_way < 0) give_up(report, errno);
  report = out_of_the_way;
  if (!take_descriptors({options.in, options.out, options.err})) give_up(report, errno);
  if (!options.directory.empty() && ::chdir(options.directory.c_str()) != 0) {
    give_up(report, errno);
  }
  // Also those that we were started with, or that a library opened without asking.
  ::syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC);
  reset_signals();
  ::execve(launch.argv[0], launch.argv.data(), launch.envp.data());
  give_up(report, errno);
}

pid_t fork_into(const Launch& launch, int report) {
  const BlockedSignals blocked;
  const pid_t pid = ::fork();
  if (pid == 0) become(launch, report);
  return pid;
}

// Nothing when the program was started: exec closed the other end.
int reported_error(const FileDescriptor& report) {
  int error = 0;
  ssize_t size = 0;
  do {
    size = ::read(report.get(), &error, sizeof error);
  } while (size < 0 && errno == EINTR);
  return size == sizeof error ? error : 0;
}

void reap(pid_t pid) {
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::string link_target(const std::string& link) {
  std::array<char, 256> target{};
  const ssize_t size = ::readlink(link.c_str(), target.data(), target.size());
  return {target.data(), static_cast<size_t>(std::max<ssize_t>(size, 0))};
}

bool is_program(const Path& file) {
  struct stat status{};
  return ::stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         ::access(file.c_str(), X_OK) == 0;
}

}  // namespace

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw file_error(errno, "make", "a pipe");
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

std::string descriptor_target(int descriptor) {
  return link_target(fmt::format("/proc/self/fd/{}", descriptor));
}

std::string read_some(const FileDescriptor& descriptor, size_t most) {
  std::string bytes(most, '\0');
  ssize_t size = 0;
  do {
    size = ::read(descriptor.get(), bytes.data(), bytes.size());
  } while (size < 0 && errno == EINTR);
  if (size < 0) throw file_error(errno, "read", "a pipe");
  bytes.resize(static_cast<size_t>(size));
  return bytes;
}

std::vector<bool> wait_readable(const std::vector<int>& descriptors,
                                std::chrono::milliseconds patience) {
  std::vector<pollfd> polled;
  polled.reserve(descriptors.size());
  for (const int descriptor : descriptors) polled.push_back({descriptor, POLLIN, 0});
  const int count = ::poll(polled.data(), polled.size(), static_cast<int>(patience.count()));
  if (count < 0 && errno != EINTR) throw file_error(errno, "wait for", "a process");
  std::vector<bool> ready(descriptors.size(), false);
  for (size_t i = 0; count > 0 && i < polled.size(); ++i) ready[i] = polled[i].revents != 0;
  return ready;
}

std::optional<Path> find_program(const std::string& name, const Environment& environment,
                                 const Path& directory) {
  if (name.find('/') != std::string::npos) {
    Path file = directory / name;
    return is_program(file) ? std::optional(std::move(file)) : std::nullopt;
  }
  const std::string* path = environment.find("PATH");
  std::string_view rest = path != nullptr ? std::string_view(*path) : "/usr/bin:/bin";
  while (!name.empty()) {
    const size_t end = std::min(rest.find(':'), rest.size());
    Path file = directory / rest.substr(0, end) / name;
    if (is_program(file)) return file;
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  return std::nullopt;
}

std::string describe(const ChildEnd& end) {
  return end.signal != 0 ? fmt::format("signal {} ({})", end.signal, ::strsignal(end.signal))
                         : fmt::format("exit code {}", end.exit_code);
}

std::unique_ptr<Child> Child::start(const ChildOptions& options) {
  const Launch launch(options);
  Pipe report = make_pipe();
  const pid_t pid = fork_into(launch, report.write.get());
  if (pid < 0) throw file_error(errno, "start", options.program);
  // In both processes: whoever comes first, the group is there for the first signal.
  if (options.has_own_group) ::setpgid(pid, pid);
  report.write = FileDescriptor();
  if (const int error = reported_error(report.read)) {
    reap(pid);
    throw file_error(error, "start", options.program);
  }
  // By its number: the header of glibc 2.36 declares pidfd_open() without C linkage.
  FileDescriptor end_descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  const int watch_error = end_descriptor.is_open() ? 0 : errno;
  const ChildProcess process{
      .pid = pid,
      .group = options.has_own_group ? pid : ::getpgrp(),
      .start_ticks = SystemProcesses().start_ticks(pid).value_or(0),
  };
  std::unique_ptr<Child> child(
      new Child(process, std::move(end_descriptor), options.has_own_group));
  if (watch_error != 0) throw file_error(watch_error, "watch", options.program);
  return child;
}

Child::Child(ChildProcess process, FileDescriptor end_descriptor, bool has_own_group)
    : process_(process),
      end_descriptor_(std::move(end_descriptor)),
      has_own_group_(has_own_group) {}

Child::~Child() {
  // The child is reaped here and nowhere else: until then neither its number nor its group's can be
  // another's.
  send_signal(SIGKILL);
  reap(static_cast<pid_t>(process_.pid));
}

std::optional<ChildEnd> Child::end() const {
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(process_.pid), &info, WEXITED | WNOHANG | WNOWAIT) !=
         0) {
    if (errno != EINTR) throw file_error(errno, "wait for", std::to_string(process_.pid));
  }
  if (info.si_pid == 0) return std::nullopt;
  return info.si_code == CLD_EXITED ? ChildEnd{.exit_code = info.si_status}
                                    : ChildEnd{.signal = info.si_status};
}

std::string Child::output_target() const {
  return link_target(fmt::format("/proc/{}/fd/1", process_.pid));
}

void Child::send_signal(int signal) const {
  const auto pid = static_cast<pid_t>(process_.pid);
  ::kill(has_own_group_ ? -pid : pid, signal);
}

}  // namespace tidemark::os
