#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "tidemark/base/cancellation.h"
#include "tidemark/base/sleeper.h"
#include "tidemark/os/file_descriptor.h"
#include "tidemark/os/files.h"

namespace tidemark::os {

// An exclusive lock of a whole file by the rules of lockf(), which keeps out whoever locks it that
// way: Meltano does. The kernel releases it when the process ends, however it ends; children do not
// inherit it. The file stays.
class RecordLock {
 public:
  // Makes the file where there is none; its directory exists. Tries again for as long as `patience`
  // says, then Error kLocked.
  static std::unique_ptr<RecordLock> acquire(const Path& file, std::chrono::milliseconds patience,
                                             Sleeper& sleeper, const Cancellation& cancellation);
  RecordLock(const RecordLock&) = delete;
  RecordLock& operator=(const RecordLock&) = delete;

 private:
  explicit RecordLock(FileDescriptor descriptor) : descriptor_(std::move(descriptor)) {}

  FileDescriptor descriptor_;
};

}  // namespace tidemark::os
