#include "tidemark/os/record_lock.h"

#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace tidemark::os {
namespace {

constexpr std::chrono::milliseconds kPollInterval{50};

// Of the open file, not of the process: closing another handle of the same file does not release
// it.
bool try_lock(const FileDescriptor& descriptor, const Path& file) {
  struct flock whole{};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (::fcntl(descriptor.get(), F_OFD_SETLK, &whole) == 0) return true;
  if (errno != EAGAIN && errno != EACCES && errno != EINTR) throw file_error(errno, "lock", file);
  return false;
}

}  // namespace

std::unique_ptr<RecordLock> RecordLock::acquire(const Path& file,
                                                std::chrono::milliseconds patience,
                                                Sleeper& sleeper,
                                                const Cancellation& cancellation) {
  FileDescriptor descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!descriptor.is_open()) throw file_error(errno, "open", file);
  for (std::chrono::milliseconds waited{0}; !try_lock(descriptor, file); waited += kPollInterval) {
    if (waited >= patience) {
      throw Error(ErrorCode::kLocked,
                  fmt::format("{} is still locked by another process after {} s", file.native(),
                              std::chrono::duration_cast<std::chrono::seconds>(patience).count()));
    }
    sleeper.sleep(kPollInterval, cancellation);
  }
  return std::unique_ptr<RecordLock>(new RecordLock(std::move(descriptor)));
}

}  // namespace tidemark::os
