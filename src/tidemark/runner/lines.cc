#include "tidemark/runner/lines.h"

#include <algorithm>

#include "tidemark/json/utf8.h"

namespace tidemark::runner {

void LineSplitter::add(std::string_view bytes, const Visit& visit) {
  while (!bytes.empty()) {
    const size_t end = std::min(bytes.find('\n'), bytes.size());
    const size_t taken = std::min(end, longest_ - rest_.size());
    const bool is_ended = taken == end && end < bytes.size();
    if (is_ended && rest_.empty()) {
      visit(bytes.substr(0, taken));
    } else {
      rest_.append(bytes.substr(0, taken));
      if (is_ended || rest_.size() == longest_) finish(visit);
    }
    bytes.remove_prefix(taken + (is_ended ? 1 : 0));
  }
}

void LineSplitter::finish(const Visit& visit) {
  if (rest_.empty()) return;
  // visit may throw: what it was given must not come again.
  const std::string line = std::move(rest_);
  rest_.clear();
  visit(line);
}

std::string readable(std::string_view line) {
  const size_t end = line.find_last_not_of(" \t\r\n\v\f");
  line = line.substr(0, end == std::string_view::npos ? 0 : end + 1);
  std::string text;
  while (!line.empty()) {
    const size_t valid = json::valid_utf8_size(line);
    text.append(line.substr(0, valid));
    line.remove_prefix(valid);
    if (line.empty()) break;
    json::append_utf8(text, 0xFFFD);
    line.remove_prefix(1);
  }
  return text;
}

}  // namespace tidemark::runner
