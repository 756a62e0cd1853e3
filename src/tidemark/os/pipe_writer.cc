#include "tidemark/os/pipe_writer.h"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "tidemark/os/files.h"

namespace tidemark::os {
namespace {

// Writes without a SIGPIPE: the signal goes to the thread that wrote, which takes it away again.
ssize_t write_quietly(int descriptor, std::string_view bytes) {
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigset_t earlier;
  pthread_sigmask(SIG_BLOCK, &pipe, &earlier);
  const ssize_t size = ::write(descriptor, bytes.data(), bytes.size());
  const int error = errno;
  if (size < 0 && error == EPIPE) {
    const timespec now{};
    ::sigtimedwait(&pipe, nullptr, &now);
  }
  pthread_sigmask(SIG_SETMASK, &earlier, nullptr);
  errno = error;
  return size;
}

}  // namespace

PipeWriter::PipeWriter(FileDescriptor end) : end_(std::move(end)) {
  const int flags = ::fcntl(end_.get(), F_GETFL);
  if (flags < 0 || ::fcntl(end_.get(), F_SETFL, flags | O_NONBLOCK) != 0) {
    throw file_error(errno, "write", "a pipe");
  }
}

std::optional<size_t> PipeWriter::write(std::string_view bytes,
                                        std::chrono::milliseconds patience) const {
  pollfd polled{end_.get(), POLLOUT, 0};
  const int count = ::poll(&polled, 1, static_cast<int>(patience.count()));
  if (count < 0 && errno != EINTR) throw file_error(errno, "write", "a pipe");
  if (count <= 0) return 0;
  const ssize_t size = write_quietly(end_.get(), bytes);
  if (size >= 0) return static_cast<size_t>(size);
  if (errno == EPIPE) return std::nullopt;
  if (errno == EAGAIN || errno == EINTR) return 0;
  throw file_error(errno, "write", "a pipe");
}

}  // namespace tidemark::os
