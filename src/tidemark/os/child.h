#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/os/environment.h"
#include "tidemark/os/file_descriptor.h"
#include "tidemark/os/files.h"
#include "tidemark/os/processes.h"

namespace tidemark::os {

// Both ends are closed in programs that are started.
struct Pipe {
  FileDescriptor read;
  FileDescriptor write;
};
Pipe make_pipe();
// `pipe:[4711]`, the same for both ends; also of any other descriptor of ours what it leads to.
std::string descriptor_target(int descriptor);

// What is there to be read, up to `most` bytes: waits for the first. Empty at the end.
std::string read_some(const FileDescriptor& descriptor, size_t most);

// Which of the descriptors can be read or have come to their end; none when time was over first, or
// a signal came.
std::vector<bool> wait_readable(const std::vector<int>& descriptors,
                                std::chrono::milliseconds patience);

// The program of that name in the folders of the environment's PATH. A name with a slash is a path,
// against `directory` when it is relative. Nothing when there is no file there that may be run.
std::optional<Path> find_program(const std::string& name, const Environment& environment,
                                 const Path& directory);

// How a process ended: by itself, or by a signal.
struct ChildEnd {
  int exit_code = 0;
  int signal = 0;

  bool is_success() const { return exit_code == 0 && signal == 0; }
  bool operator==(const ChildEnd&) const = default;
};
// `exit code 3`, `signal 9 (Killed)`.
std::string describe(const ChildEnd& end);

struct ChildOptions {
  Path program;
  std::vector<std::string> arguments = {};  // behind the program's name
  Environment environment = {};
  Path directory = {};  // empty: ours
  // What it reads and writes as 0, 1 and 2; borrowed until it has started. -1: /dev/null.
  int in = -1;
  int out = -1;
  int err = -1;
  // Of its own: signals reach whatever it starts too, and those of the keyboard do not reach it.
  // Without, it may use our terminal.
  bool has_own_group = true;
};

// A process that we started. It has no descriptors of ours but the three, no signal blocked or
// ignored, and ends (SIGKILL) with the thread that started it, however that ends. One thread.
class Child {
 public:
  // Error kNotFound, kUnauthorized, ... when the program cannot be run.
  static std::unique_ptr<Child> start(const ChildOptions& options);
  // SIGKILL to the child, if it still runs, and to whatever is left of its own group.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  const ChildProcess& process() const { return process_; }
  // For wait_readable(): can be read once the child has ended.
  int end_descriptor() const { return end_descriptor_.get(); }
  // Nothing while it runs.
  std::optional<ChildEnd> end() const;
  // The descriptor_target() of its standard output; empty when it has closed it or has ended.
  std::string output_target() const;
  // To its whole group. Nothing happens when there is nobody any more.
  void send_signal(int signal) const;

 private:
  Child(ChildProcess process, FileDescriptor end_descriptor, bool has_own_group);

  ChildProcess process_;
  FileDescriptor end_descriptor_;
  bool has_own_group_;
};

}  // namespace tidemark::os
