#include "effects.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tidemark::stress {
namespace {

std::atomic<uint64_t> count = 0;
std::atomic<uint64_t> stop_at = 0;
std::atomic<uint64_t> full_from = 0;
std::atomic<int> overwrites = -1;

// The function that would have been called without this file.
template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

void stop() {
  static const auto real = next<ssize_t(int, const void*, size_t)>("write");
  constexpr std::string_view kLine = "stopped\n";
  [[maybe_unused]] const ssize_t ignored = real(STDOUT_FILENO, kLine.data(), kLine.size());
  ::kill(::getpid(), SIGSTOP);
}

uint64_t begin_effect() {
  const uint64_t number = ++count;
  if (number == stop_at) stop();
  return number;
}

// False: there is no room for it, and errno says so.
bool begin_growth() {
  const uint64_t number = begin_effect();
  const uint64_t from = full_from;
  if (from == 0 || number < from) return true;
  errno = ENOSPC;
  return false;
}

// Opening what is there takes no room.
bool is_new(const char* path, int flags) {
  return (flags & O_CREAT) != 0 && ::access(path, F_OK) != 0;
}

std::string content(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void log_overwrite(const char* from, const char* to) {
  if (overwrites < 0 || !std::string_view(to).ends_with("/state.json")) return;
  const std::string old = content(to);
  const std::string lines = old + '\n' + content(from) + '\n';
  [[maybe_unused]] const ssize_t ignored = ::write(overwrites, lines.data(), lines.size());
}

bool is_exclusive_lock(int command, const void* lock) {
  return (command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK) &&
         static_cast<const struct flock*>(lock)->l_type == F_WRLCK;
}

bool is_standard(int descriptor) { return descriptor <= STDERR_FILENO; }

}  // namespace

void stop_before_effect(uint64_t at) {
  count = 0;
  stop_at = at;
}

void fill_disk_at_effect(uint64_t from) {
  count = 0;
  full_from = from;
}

uint64_t effects() { return count; }

void log_overwrites(const char* file) {
  overwrites = ::open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
}

}  // namespace tidemark::stress

using tidemark::stress::begin_effect;
using tidemark::stress::begin_growth;
using tidemark::stress::is_exclusive_lock;
using tidemark::stress::is_new;
using tidemark::stress::is_standard;
using tidemark::stress::log_overwrite;
using tidemark::stress::next;

extern "C" {

ssize_t write(int file, const void* bytes, size_t size) {
  static const auto real = next<ssize_t(int, const void*, size_t)>("write");
  return is_standard(file) || begin_growth() ? real(file, bytes, size) : -1;
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  static const auto real = next<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  return begin_growth() ? real(file, bytes, size, at) : -1;
}

ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t at) {
  static const auto real = next<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
  return begin_growth() ? real(file, bytes, size, at) : -1;
}

int ftruncate(int file, off_t size) noexcept {
  static const auto real = next<int(int, off_t)>("ftruncate");
  return size == 0 || begin_growth() ? real(file, size) : -1;
}

int ftruncate64(int file, off64_t size) noexcept {
  static const auto real = next<int(int, off64_t)>("ftruncate64");
  return size == 0 || begin_growth() ? real(file, size) : -1;
}

// What a disk had no room for may show only here.
int fsync(int file) {
  static const auto real = next<int(int)>("fsync");
  return begin_growth() ? real(file) : -1;
}

int fdatasync(int file) {
  static const auto real = next<int(int)>("fdatasync");
  return begin_growth() ? real(file) : -1;
}

int link(const char* from, const char* to) noexcept {
  static const auto real = next<int(const char*, const char*)>("link");
  return begin_growth() ? real(from, to) : -1;
}

int mkdir(const char* path, mode_t mode) noexcept {
  static const auto real = next<int(const char*, mode_t)>("mkdir");
  return begin_growth() ? real(path, mode) : -1;
}

int rename(const char* from, const char* to) noexcept {
  static const auto real = next<int(const char*, const char*)>("rename");
  begin_effect();
  log_overwrite(from, to);
  return real(from, to);
}

int unlink(const char* path) noexcept {
  static const auto real = next<int(const char*)>("unlink");
  begin_effect();
  return real(path);
}

int rmdir(const char* path) noexcept {
  static const auto real = next<int(const char*)>("rmdir");
  begin_effect();
  return real(path);
}

int open(const char* path, int flags, ...) {
  static const auto real = next<int(const char*, int, ...)>("open");
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return !is_new(path, flags) || begin_growth() ? real(path, flags, mode) : -1;
}

int open64(const char* path, int flags, ...) {
  static const auto real = next<int(const char*, int, ...)>("open64");
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return !is_new(path, flags) || begin_growth() ? real(path, flags, mode) : -1;
}

// Of all that it does only the locks.
int fcntl(int file, int command, ...) {
  static const auto real = next<int(int, int, ...)>("fcntl");
  va_list rest;
  va_start(rest, command);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  if (is_exclusive_lock(command, argument)) begin_effect();
  return real(file, command, argument);
}

int fcntl64(int file, int command, ...) {
  static const auto real = next<int(int, int, ...)>("fcntl64");
  va_list rest;
  va_start(rest, command);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  if (is_exclusive_lock(command, argument)) begin_effect();
  return real(file, command, argument);
}

ssize_t send(int socket, const void* bytes, size_t size, int flags) {
  static const auto real = next<ssize_t(int, const void*, size_t, int)>("send");
  begin_effect();
  return real(socket, bytes, size, flags);
}

ssize_t sendto(int socket, const void* bytes, size_t size, int flags, const sockaddr* address,
               socklen_t length) {
  static const auto real =
      next<ssize_t(int, const void*, size_t, int, const sockaddr*, socklen_t)>("sendto");
  begin_effect();
  return real(socket, bytes, size, flags, address, length);
}

}  // extern "C"
