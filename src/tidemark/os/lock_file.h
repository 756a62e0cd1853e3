#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "tidemark/base/clock.h"
#include "tidemark/os/file_descriptor.h"
#include "tidemark/os/files.h"

namespace tidemark::os {

// Who holds a lock, as the lock file says.
struct LockHolder {
  int64_t pid = 0;
  std::string host = {};
  std::string operation = {};  // what the lock is held for: `run github_pipeline`
  Time since{};

  bool operator==(const LockHolder&) const = default;
};

// `run github_pipeline (pid 4711 on host) since 2024-01-02T03:04:05+00:00`; for the error of
// whoever waits.
std::string describe(const LockHolder& holder);

// An exclusive advisory lock (flock) on a file that names its holder. The kernel releases it when
// the process ends, however it ends; children do not inherit it. The file stays: removing it could
// split the lock in two.
class LockFile {
 public:
  using Result = std::variant<std::unique_ptr<LockFile>, LockHolder>;

  // The lock, or who has it (all empty while the holder has not written its name yet). Does not
  // wait. The file's directory exists.
  static Result try_acquire(const Path& file, const LockHolder& holder);
  // Releases.
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

 private:
  explicit LockFile(FileDescriptor descriptor) : descriptor_(std::move(descriptor)) {}

  FileDescriptor descriptor_;
};

}  // namespace tidemark::os
