#include "tidemark/source/byte_stream.h"

#include <cerrno>
#include <cstdio>
#include <string_view>
#include <utility>

#include <poll.h>
#include <unistd.h>

#include "tidemark/base/error.h"
#include "tidemark/source/decompress.h"

namespace tidemark::source {

namespace {

class FileStream final : public ByteStream {
 public:
  FileStream(std::FILE* file, os::Path path) : file_(file), path_(std::move(path)) {}
  ~FileStream() override { std::fclose(file_); }
  FileStream(const FileStream&) = delete;
  FileStream& operator=(const FileStream&) = delete;

  size_t read(char* data, size_t size) override {
    const size_t count = std::fread(data, 1, size, file_);
    if (count < size && std::ferror(file_)) throw os::file_error(errno, "read", path_);
    return count;
  }

 private:
  std::FILE* file_;
  os::Path path_;
};

// Whoever writes to it may never do so again: the wait ends when the work is cancelled.
class StandardInput final : public ByteStream {
 public:
  explicit StandardInput(const Cancellation& cancellation) : cancellation_(cancellation) {}

  size_t read(char* data, size_t size) override {
    wait();
    const ssize_t count = ::read(STDIN_FILENO, data, size);
    if (count < 0) throw os::file_error(errno, "read", "standard input");
    return static_cast<size_t>(count);
  }

 private:
  // A signal is delivered to any thread, so this one looks up from time to time.
  void wait() const {
    constexpr int kMilliseconds = 50;
    pollfd waiting{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    do {
      cancellation_.throw_if_cancelled();
    } while (::poll(&waiting, 1, kMilliseconds) <= 0);
  }

  const Cancellation& cancellation_;
};

// A stream whose first bytes were looked at.
class PeekedStream final : public ByteStream {
 public:
  PeekedStream(std::string head, std::unique_ptr<ByteStream> rest)
      : head_(std::move(head)), rest_(std::move(rest)) {}

  size_t read(char* data, size_t size) override {
    if (head_.empty()) return rest_->read(data, size);
    const size_t count = head_.copy(data, size);
    head_.erase(0, count);
    return count;
  }

 private:
  std::string head_;
  std::unique_ptr<ByteStream> rest_;
};

}  // namespace

std::unique_ptr<ByteStream> open_file(const os::Path& file) {
  std::FILE* opened = std::fopen(file.c_str(), "rbe");
  if (!opened) throw os::file_error(errno, "open", file);
  return std::make_unique<FileStream>(opened, file);
}

std::unique_ptr<ByteStream> standard_input(const Cancellation& cancellation) {
  return std::make_unique<StandardInput>(cancellation);
}

std::unique_ptr<ByteStream> decompressed(std::unique_ptr<ByteStream> stream, std::string name) {
  static constexpr std::string_view kGzip = "\x1F\x8B";
  static constexpr std::string_view kZstd = "\x28\xB5\x2F\xFD";
  std::string head(kZstd.size(), '\0');
  head.resize(read_fully(*stream, head.data(), head.size()));
  const bool is_gzip = head.starts_with(kGzip);
  const bool is_zstd = head == kZstd;
  auto whole = std::make_unique<PeekedStream>(std::move(head), std::move(stream));
  if (is_gzip) return gunzip(std::move(whole), std::move(name));
  if (is_zstd) return unzstd(std::move(whole), std::move(name));
  return whole;
}

size_t read_fully(ByteStream& stream, char* data, size_t size) {
  size_t count = 0;
  while (count < size) {
    const size_t more = stream.read(data + count, size - count);
    if (more == 0) break;
    count += more;
  }
  return count;
}

}  // namespace tidemark::source
