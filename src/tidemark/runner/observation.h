#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "tidemark/json/value.h"

namespace tidemark::runner {

// What a plugin wrote, told by its Singer messages.
struct Passed {
  struct Stream {
    uint64_t records = 0;
    uint64_t batches = 0;
    uint64_t bytes = 0;  // of those messages

    bool operator==(const Stream&) const = default;
  };

  std::map<std::string, Stream, std::less<>> streams = {};
  uint64_t states = 0;
  uint64_t other_lines = 0;  // that are no messages, or of no stream
  uint64_t bytes = 0;        // of all there was

  // `3 records, 1 state, 1,234 bytes`.
  std::string summary() const;
  // A line for each stream: `users: 3 records, 56 bytes`.
  std::string by_stream() const;
  // {"bytes": ..., "states": ..., "other_lines": ..., "streams": {NAME: {"records": ..., ...}}}
  json::Object fields() const;
};

// Counts what it is shown, in pieces. Thread-safe.
class Observation {
 public:
  // line is told of each line, its beginning if it is a long one; may be empty. It does not throw.
  explicit Observation(std::function<void(std::string_view line)> line);

  void add(std::string_view bytes);
  // When nothing more comes: a last line that nothing ended counts too.
  void finish();
  Passed passed() const;

  // What is looked at of a line: a message that names its type or stream behind that is of neither.
  static constexpr size_t kHead = size_t{64} << 10;

 private:
  void end_line(std::string_view head, uint64_t size);

  std::function<void(std::string_view line)> line_;
  mutable std::mutex mutex_;
  std::string head_;        // of the line that is not at its end yet
  uint64_t line_size_ = 0;  // of it so far
  Passed passed_;
};

}  // namespace tidemark::runner
