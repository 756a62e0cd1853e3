#include "tidemark/source/text_rows.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"

namespace tidemark::source {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

size_t skip_space(std::string_view text, size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

class JsonLinesSplitter final : public RowSplitter {
 public:
  size_t split(std::string_view text, bool is_end, std::vector<json::TextSpan>& rows) override {
    size_t start = 0;
    while (start < text.size()) {
      const size_t line_break = text.find('\n', start);
      if (line_break == std::string_view::npos && !is_end) break;
      const size_t end = std::min(line_break, text.size());
      if (skip_space(text.substr(0, end), start) < end) {
        rows.push_back({.offset = start, .size = end - start, .line = line_});
      }
      start = std::min(end + 1, text.size());
      ++line_;
    }
    return start;
  }

 private:
  uint64_t line_ = 1;
};

class JsonSplitter final : public RowSplitter {
 public:
  size_t split(std::string_view text, bool is_end, std::vector<json::TextSpan>& rows) override {
    passed_ = 0;
    size_t at = 0;
    if (phase_ == Phase::kStart) at = split_start(text, is_end, rows);
    while (phase_ == Phase::kFirst || phase_ == Phase::kNext) {
      if (!split_element(text, at, is_end, rows)) break;
    }
    if (phase_ == Phase::kEnd) at = split_end(text, at);
    pass(text, at);
    return at;
  }

 private:
  // kFirst and kNext: before an element of the root array. kWhole: the root is no array.
  enum class Phase { kStart, kWhole, kFirst, kNext, kEnd };

  size_t split_start(std::string_view text, bool is_end, std::vector<json::TextSpan>& rows) {
    const size_t at = skip_space(text, 0);
    if (at < text.size() && text[at] == '[') {
      phase_ = Phase::kFirst;
      return at + 1;
    }
    if (!is_end) return 0;
    pass(text, at);
    rows.push_back(
        {.offset = at, .size = text.size() - at, .line = place_.line, .byte = place_.byte});
    phase_ = Phase::kWhole;
    return text.size();
  }

  // Adds the element at the place and moves behind it; false when there is not all of it.
  bool split_element(std::string_view text, size_t& at, bool is_end,
                     std::vector<json::TextSpan>& rows) {
    const size_t start = skip_space(text, at);
    at = start;
    pass(text, start);
    if (phase_ == Phase::kFirst && start < text.size() && text[start] == ']') {
      phase_ = Phase::kEnd;
      ++at;
      return true;
    }
    const size_t end = element_end(text, start);
    if (end == text.size()) {
      if (is_end) fail_cut_off(text.substr(start));
      return false;
    }
    size_t last = end;
    while (last > start && is_space(text[last - 1])) --last;
    if (last == start) fail("expected a value");
    rows.push_back(
        {.offset = start, .size = last - start, .line = place_.line, .byte = place_.byte});
    if (text[end] == '}') {
      pass(text, end);
      fail("expected ',' or ']' in an array");
    }
    phase_ = text[end] == ',' ? Phase::kNext : Phase::kEnd;
    at = end + 1;
    return true;
  }

  size_t split_end(std::string_view text, size_t at) {
    const size_t rest = skip_space(text, at);
    if (rest < text.size()) {
      pass(text, rest);
      fail("expected nothing after the value");
    }
    return rest;
  }

  // The comma or bracket behind the element, text.size() when it is not there. Whether the element
  // is right in itself is the parser's to say.
  static size_t element_end(std::string_view text, size_t at) {
    size_t depth = 0;
    for (; at < text.size(); ++at) {
      switch (text[at]) {
        case '"':
          at = string_end(text, at);
          break;
        case '[':
        case '{':
          ++depth;
          break;
        case ']':
        case '}':
          if (depth == 0) return at;
          --depth;
          break;
        case ',':
          if (depth == 0) return at;
          break;
        default:
          break;
      }
    }
    return text.size();
  }

  // The closing quote of the string that starts at the place, text.size() when it is not there.
  static size_t string_end(std::string_view text, size_t at) {
    size_t end = text.find('"', at + 1);
    while (end != std::string_view::npos && is_escaped(text, end)) end = text.find('"', end + 1);
    return std::min(end, text.size());
  }

  // Whether an odd number of backslashes stands before the quote.
  static bool is_escaped(std::string_view text, size_t quote) {
    size_t first = quote;
    while (text[first - 1] == '\\') --first;
    return (quote - first) % 2 == 1;
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw Error(ErrorCode::kInvalid,
                fmt::format("line {}, byte {}: {}", place_.line, place_.byte, what));
  }

  // The reader knows better where an element went wrong than a scan for brackets does.
  [[noreturn]] void fail_cut_off(std::string_view element) const {
    json::read(element, place_.line, place_.byte);
    fail("expected ',' or ']' behind this element of an array");
  }

  // Moves the place to text[at].
  void pass(std::string_view text, size_t at) {
    const std::string_view between = text.substr(passed_, at - passed_);
    const auto breaks = static_cast<uint64_t>(std::count(between.begin(), between.end(), '\n'));
    place_.line += breaks;
    place_.byte = breaks == 0 ? place_.byte + between.size() : between.size() - between.rfind('\n');
    passed_ = at;
  }

  struct Place {
    uint64_t line = 1;
    uint64_t byte = 1;
  };
  Phase phase_ = Phase::kStart;
  Place place_;        // of the byte at passed_
  size_t passed_ = 0;  // in the text at hand
};

}  // namespace

std::unique_ptr<RowSplitter> json_lines_splitter() { return std::make_unique<JsonLinesSplitter>(); }
std::unique_ptr<RowSplitter> json_splitter() { return std::make_unique<JsonSplitter>(); }

TextWindows::TextWindows(ByteStream& stream, size_t window_size)
    : stream_(stream),
      window_size_(window_size),
      buffer_(std::make_shared<json::Buffer>(window_size)) {}

void TextWindows::advance(size_t done) {
  const std::string_view rest = text().substr(done);
  const bool is_stuck = rest.size() == buffer_->capacity();
  if (is_shared_ || is_stuck) {
    const size_t capacity = is_stuck ? 2 * rest.size() : std::max(window_size_, rest.size());
    auto next = std::make_shared<json::Buffer>(capacity);
    next->append(rest);
    buffer_ = std::move(next);
    is_shared_ = false;
  } else {
    std::memmove(buffer_->data(), rest.data(), rest.size());
    buffer_->resize(rest.size());
  }
  fill();
}

std::shared_ptr<const json::Buffer> TextWindows::share() {
  is_shared_ = true;
  return buffer_;
}

void TextWindows::fill() {
  const size_t had = buffer_->size();
  const size_t wanted = buffer_->capacity() - had;
  const size_t got = read_fully(stream_, buffer_->data() + had, wanted);
  buffer_->resize(had + got);
  is_end_ = got < wanted;
  if (!std::exchange(is_start_, false)) return;
  if (text().starts_with("\xFF\xFE") || text().starts_with("\xFE\xFF")) {
    throw Error(ErrorCode::kInvalid, "the text is UTF-16; expected UTF-8");
  }
  if (text().starts_with("\xEF\xBB\xBF")) advance(3);
}

bool read_text_pages(ByteStream& stream, RowSplitter& splitter, const std::string& origin,
                     size_t page_size, const YieldPage& yield) {
  TextWindows windows(stream, page_size);
  size_t done = 0;
  do {
    windows.advance(done);
    std::vector<json::TextSpan> rows;
    done = splitter.split(windows.text(), windows.is_end(), rows);
    if (rows.empty()) continue;
    if (!yield(json::Page::texts(windows.share(), std::move(rows), origin))) return false;
  } while (!windows.is_end());
  return true;
}

}  // namespace tidemark::source
