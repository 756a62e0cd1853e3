#include "tidemark/cli/streams.h"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tidemark/base/error.h"

namespace tidemark::cli {

void FileOutput::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor_, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<size_t>(count));
    } else if (errno == EPIPE) {
      return;
    } else if (errno != EINTR && errno != EAGAIN) {
      throw Error(ErrorCode::kUnavailable,
                  fmt::format("cannot write the output: {}", std::strerror(errno)));
    }
  }
}

bool FileOutput::is_terminal() const { return ::isatty(descriptor_) == 1; }

size_t FileOutput::width() const {
  constexpr size_t kDefault = 80;
  winsize size{};
  return ::ioctl(descriptor_, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kDefault;
}

std::optional<std::string> FileInput::read_line() {
  // Byte by byte: what stands behind the line belongs to whoever reads next.
  std::string line;
  char byte = 0;
  while (true) {
    // read() is restarted behind a signal, poll() is not: a signal ends the wait for an answer.
    pollfd waiting{.fd = descriptor_, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, -1) < 0) {
      return std::nullopt;
    }
    const ssize_t count = ::read(descriptor_, &byte, 1);
    if (count <= 0) {
      return line.empty() ? std::nullopt : std::optional(std::move(line));
    }
    if (byte == '\n') {
      return line;
    }
    line += byte;
  }
}

bool FileInput::is_terminal() const { return ::isatty(descriptor_) == 1; }

}  // namespace tidemark::cli
