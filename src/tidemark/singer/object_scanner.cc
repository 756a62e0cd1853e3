#include "tidemark/singer/object_scanner.h"

#include <algorithm>

namespace tidemark::singer {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

}  // namespace

bool ObjectScanner::next() {
  skip_space();
  if (!is_started_) {
    is_started_ = true;
    if (!take('{')) return fail();
    skip_space();
    if (take('}')) return end();
  } else {
    if (take('}')) return end();
    if (!take(',')) return fail();
    skip_space();
  }
  if (at_ == text_.size() || text_[at_] != '"') return fail();
  const size_t key_end = string_end(at_);
  key_ = text_.substr(at_, key_end - at_);
  at_ = key_end;
  skip_space();
  if (!take(':')) return fail();
  skip_space();
  const size_t end = value_end();
  value_ = text_.substr(at_, end - at_);
  at_ = end;
  return !value_.empty() || fail();
}

bool ObjectScanner::fail() {
  at_ = text_.size();
  return false;
}

bool ObjectScanner::end() {
  skip_space();
  is_object_ = at_ == text_.size();
  return fail();
}

void ObjectScanner::skip_space() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
}

bool ObjectScanner::take(char c) {
  if (at_ == text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

size_t ObjectScanner::value_end() const {
  if (at_ == text_.size()) return at_;
  switch (text_[at_]) {
    case '"':
      return string_end(at_);
    case '{':
    case '[':
      return container_end(at_);
    default: {
      const auto is_end = [](char c) { return c == ',' || c == '}' || c == ']' || is_space(c); };
      const auto rest = text_.substr(at_);
      return at_ + static_cast<size_t>(std::ranges::find_if(rest, is_end) - rest.begin());
    }
  }
}

// A quote ends the string unless an odd number of backslashes stands before it.
size_t ObjectScanner::string_end(size_t at) const {
  size_t quote = text_.find('"', at + 1);
  while (quote != std::string_view::npos) {
    size_t first = quote;
    while (text_[first - 1] == '\\') --first;
    if ((quote - first) % 2 == 0) return quote + 1;
    quote = text_.find('"', quote + 1);
  }
  return text_.size();
}

size_t ObjectScanner::container_end(size_t at) const {
  size_t depth = 0;
  while (at < text_.size()) {
    switch (text_[at]) {
      case '"':
        at = string_end(at);
        continue;
      case '{':
      case '[':
        ++depth;
        break;
      case '}':
      case ']':
        if (--depth == 0) return at + 1;
        break;
      default:
        break;
    }
    ++at;
  }
  return at;
}

}  // namespace tidemark::singer
