#include "tidemark/os/lock_file.h"

#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "tidemark/base/datetime.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"

namespace tidemark::os {
namespace {

std::string record_of(const LockHolder& holder) {
  return json::write(json::Object{{"pid", holder.pid},
                                  {"host", holder.host},
                                  {"operation", holder.operation},
                                  {"since", format_iso(holder.since)}}) +
         "\n";
}

std::string text_member(const json::Value& record, std::string_view key) {
  const json::Value* member = record.find(key);
  return member != nullptr && member->is_string() ? member->as_string() : std::string();
}

// A record is read while its holder may be writing it: what cannot be read is left empty.
LockHolder holder_of(std::string_view record_text) {
  LockHolder holder;
  json::Value record;
  try {
    record = json::read(record_text);
  } catch (const Error&) {
    return holder;
  }
  const json::Value* pid = record.find("pid");
  if (pid != nullptr && pid->is_number()) holder.pid = pid->as_number().to_int64().value_or(0);
  holder.host = text_member(record, "host");
  holder.operation = text_member(record, "operation");
  if (const auto since = parse_iso_datetime(text_member(record, "since"))) {
    holder.since = Time(std::chrono::microseconds(since->utc_micros()));
  }
  return holder;
}

}  // namespace

std::string describe(const LockHolder& holder) {
  if (holder.pid == 0) return "another process";
  return fmt::format("{} (pid {} on {}) since {}", holder.operation, holder.pid, holder.host,
                     format_iso(holder.since));
}

LockFile::Result LockFile::try_acquire(const Path& file, const LockHolder& holder) {
  FileDescriptor descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!descriptor.is_open()) throw file_error(errno, "open", file);
  if (::flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) throw file_error(errno, "lock", file);
    return holder_of(read_file(file));
  }
  const std::string record = record_of(holder);
  if (::ftruncate(descriptor.get(), 0) != 0 ||
      ::pwrite(descriptor.get(), record.data(), record.size(), 0) !=
          static_cast<ssize_t>(record.size())) {
    throw file_error(errno, "write", file);
  }
  return std::unique_ptr<LockFile>(new LockFile(std::move(descriptor)));
}

LockFile::~LockFile() {
  // The record goes first, so that the next holder is never taken for this one.
  [[maybe_unused]] const int ignored = ::ftruncate(descriptor_.get(), 0);
}

}  // namespace tidemark::os
