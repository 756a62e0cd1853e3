#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

#include "tidemark/os/file_descriptor.h"

namespace tidemark::os {

// The writing end of a pipe, for a thread that must not hang in it, nor the process die of it
// (SIGPIPE), when nobody reads. One thread.
class PipeWriter {
 public:
  // Takes the end, which no other process may have: from now on writing to it never blocks.
  explicit PipeWriter(FileDescriptor end);

  // Writes as much of the bytes as the pipe takes now, and says how much that was; waits at most
  // `patience` for room, then it was nothing. No value when nobody can read it any more.
  std::optional<size_t> write(std::string_view bytes, std::chrono::milliseconds patience) const;

 private:
  FileDescriptor end_;
};

}  // namespace tidemark::os
