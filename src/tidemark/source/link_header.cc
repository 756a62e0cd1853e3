#include "tidemark/source/link_header.h"

#include <algorithm>

#include "tidemark/base/ascii.h"

namespace tidemark::rest {
namespace {

constexpr std::string_view kBlanks = " \t";

// Reads `<target>; name=value; name="quoted, value", <target> ...` from left to right.
class LinkReader {
 public:
  explicit LinkReader(std::string_view text) : text_(text) {}

  // The target of the next link with that relation; nothing at the end or where the syntax ends.
  std::optional<std::string> find(std::string_view rel) {
    while (true) {
      skip(" \t,");
      if (!take('<')) return std::nullopt;
      const size_t end = text_.find('>');
      if (end == std::string_view::npos) return std::nullopt;
      const std::string_view target = text_.substr(0, end);
      text_.remove_prefix(end + 1);
      if (read_params(rel)) return std::string(target);
    }
  }

 private:
  // Reads the parameters of one link; whether its rel names the relation.
  bool read_params(std::string_view rel) {
    bool matches = false;
    while (true) {
      skip(kBlanks);
      if (!take(';')) return matches;
      skip(kBlanks);
      const std::string_view name = until("=;, \t");
      skip(kBlanks);
      if (!take('=')) continue;
      skip(kBlanks);
      const std::string_view value = take('"') ? quoted() : until(";, \t");
      if (equals_ignoring_case(name, "rel")) matches = matches || has_word(value, rel);
    }
  }

  // Several relations stand in one value, with blanks between.
  static bool has_word(std::string_view value, std::string_view rel) {
    while (!value.empty()) {
      const std::string_view word = value.substr(0, value.find_first_of(kBlanks));
      if (equals_ignoring_case(word, rel)) return true;
      value.remove_prefix(std::min(word.size() + 1, value.size()));
    }
    return false;
  }

  std::string_view quoted() {
    size_t end = 0;
    while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
    end = std::min(end, text_.size());
    const std::string_view value = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    return value;
  }
  std::string_view until(std::string_view stops) {
    const std::string_view value = text_.substr(0, text_.find_first_of(stops));
    text_.remove_prefix(value.size());
    return value;
  }
  void skip(std::string_view characters) {
    text_.remove_prefix(std::min(text_.find_first_not_of(characters), text_.size()));
  }
  bool take(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }

  std::string_view text_;
};

}  // namespace

std::optional<std::string> find_link(const net::Headers& headers, std::string_view rel) {
  for (const std::string_view value : headers.find_all("Link")) {
    if (auto target = LinkReader(value).find(rel)) return target;
  }
  return std::nullopt;
}

}  // namespace tidemark::rest
