#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace tidemark::runner {

// Makes lines of what comes out of a pipe in pieces.
class LineSplitter {
 public:
  // A line without its `\n`.
  using Visit = std::function<void(std::string_view line)>;

  // A longer line is given out in parts of that size.
  explicit LineSplitter(size_t longest) : longest_(longest) {}

  void add(std::string_view bytes, const Visit& visit);
  // The last line, when nothing ended it.
  void finish(const Visit& visit);

 private:
  size_t longest_;
  std::string rest_;
};

// The line as a log shows it: without blanks at its end, bytes that are no UTF-8 replaced.
std::string readable(std::string_view line);

}  // namespace tidemark::runner
