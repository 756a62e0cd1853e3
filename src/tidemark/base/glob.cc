#include "tidemark/base/glob.h"

#include <cstddef>
#include <cstdint>

namespace tidemark {
namespace {

// Takes one code point off the front of text. A byte that is not UTF-8 stands for itself.
char32_t take(std::string_view& text) {
  const auto lead = static_cast<uint8_t>(text[0]);
  size_t length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (length > text.size()) length = 1;
  char32_t point = lead;
  for (size_t i = 1; i < length; ++i) point = point << 8 | static_cast<uint8_t>(text[i]);
  text.remove_prefix(length);
  return point;
}

// The length of the set at the front of pattern, brackets included; 0 when nothing closes it.
size_t set_length(std::string_view pattern) {
  size_t end = 1;
  if (end < pattern.size() && pattern[end] == '!') ++end;
  if (end < pattern.size() && pattern[end] == ']') ++end;
  end = pattern.find(']', end);
  return end == std::string_view::npos ? 0 : end + 1;
}

// Whether point is in the set; set comes without brackets.
bool in_set(std::string_view set, char32_t point) {
  const bool is_negated = set.starts_with('!');
  if (is_negated) set.remove_prefix(1);
  bool is_listed = false;
  while (!set.empty()) {
    const char32_t first = take(set);
    char32_t last = first;
    if (set.size() > 1 && set[0] == '-') {
      set.remove_prefix(1);
      last = take(set);
    }
    is_listed |= first <= point && point <= last;
  }
  return is_listed != is_negated;
}

// Matches the front of pattern, which is no star, with the front of text, and takes both off.
bool match_one(std::string_view& pattern, std::string_view& text) {
  if (pattern.empty() || text.empty()) return false;
  const char32_t point = take(text);
  const size_t set = pattern[0] == '[' ? set_length(pattern) : 0;
  if (set != 0) {
    const bool is_match = in_set(pattern.substr(1, set - 2), point);
    pattern.remove_prefix(set);
    return is_match;
  }
  const char32_t wanted = take(pattern);
  return wanted == U'?' || wanted == point;
}

}  // namespace

// Goes back only to the last star: what an earlier one took can stay as it is, because the later
// star can take all the rest.
bool glob_match(std::string_view pattern, std::string_view text) {
  std::string_view after_star;
  std::string_view retry;
  bool has_star = false;
  while (!text.empty() || !pattern.empty()) {
    if (pattern.starts_with('*')) {
      pattern.remove_prefix(1);
      after_star = pattern;
      retry = text;
      has_star = true;
    } else if (!match_one(pattern, text)) {
      if (!has_star || retry.empty()) return false;
      take(retry);
      pattern = after_star;
      text = retry;
    }
  }
  return true;
}

}  // namespace tidemark
