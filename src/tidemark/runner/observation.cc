#include "tidemark/runner/observation.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/singer/object_scanner.h"

namespace tidemark::runner {
namespace {

// `1 state`, `1,234 states`.
std::string counted(uint64_t count, std::string_view one, std::string_view many) {
  std::string digits = std::to_string(count);
  for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return fmt::format("{} {}", digits, count == 1 ? one : many);
}

// A value as text; empty when it is none.
std::string text_of(std::string_view value) {
  if (!value.starts_with('"')) return {};
  try {
    return json::read(value).as_string();
  } catch (const Error&) {
    return {};
  }
}

struct Head {
  std::string type;
  std::string stream;
};

Head read_head(std::string_view line) {
  Head head;
  singer::ObjectScanner members(line);
  while ((head.type.empty() || head.stream.empty()) && members.next()) {
    if (members.key() == "\"type\"") head.type = text_of(members.value());
    if (members.key() == "\"stream\"") head.stream = text_of(members.value());
  }
  return head;
}

std::string counts_of(uint64_t records, uint64_t batches) {
  std::string text = counted(records, "record", "records");
  if (batches > 0) text += fmt::format(", {}", counted(batches, "batch", "batches"));
  return text;
}

}  // namespace

std::string Passed::summary() const {
  uint64_t records = 0;
  uint64_t batches = 0;
  for (const auto& [name, stream] : streams) {
    records += stream.records;
    batches += stream.batches;
  }
  std::string text =
      fmt::format("{}, {}", counts_of(records, batches), counted(states, "state", "states"));
  if (other_lines > 0) {
    text += fmt::format(", {}", counted(other_lines, "other line", "other lines"));
  }
  return fmt::format("{}, {}", text, counted(bytes, "byte", "bytes"));
}

std::string Passed::by_stream() const {
  std::string text;
  for (const auto& [name, stream] : streams) {
    text += fmt::format("{}{}: {}, {}", text.empty() ? "" : "\n", name,
                        counts_of(stream.records, stream.batches),
                        counted(stream.bytes, "byte", "bytes"));
  }
  return text;
}

json::Object Passed::fields() const {
  json::Object by_name;
  for (const auto& [name, stream] : streams) {
    by_name.set(name, json::Object{{"records", stream.records},
                                   {"batches", stream.batches},
                                   {"bytes", stream.bytes}});
  }
  return {{"bytes", bytes},
          {"states", states},
          {"other_lines", other_lines},
          {"streams", std::move(by_name)}};
}

Observation::Observation(std::function<void(std::string_view line)> line)
    : line_(std::move(line)) {}

void Observation::add(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  passed_.bytes += bytes.size();
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    const bool is_whole = end != std::string_view::npos && line_size_ == 0;
    line_size_ += piece.size();
    if (!is_whole) head_.append(piece.substr(0, kHead - head_.size()));
    if (end == std::string_view::npos) return;
    end_line(is_whole ? piece.substr(0, kHead) : std::string_view(head_), line_size_ + 1);
    bytes.remove_prefix(end + 1);
  }
}

void Observation::finish() {
  const std::lock_guard lock(mutex_);
  if (line_size_ > 0) end_line(head_, line_size_);
}

Passed Observation::passed() const {
  const std::lock_guard lock(mutex_);
  return passed_;
}

void Observation::end_line(std::string_view head, uint64_t size) {
  if (line_) line_(head);
  const auto [type, name] = read_head(head);
  if (type == "STATE") {
    ++passed_.states;
  } else if (!name.empty() && (type == "RECORD" || type == "BATCH")) {
    Passed::Stream& stream = passed_.streams[name];
    ++(type == "RECORD" ? stream.records : stream.batches);
    stream.bytes += size;
  } else if (name.empty() || (type != "SCHEMA" && type != "ACTIVATE_VERSION")) {
    ++passed_.other_lines;
  }
  head_.clear();
  line_size_ = 0;
}

}  // namespace tidemark::runner
