#include "tidemark/json/read.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/json/utf8.h"

namespace tidemark::json {

namespace {

constexpr std::string_view kSpace = " \t\n\r";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

enum class Dialect { kJson, kPython };

class Reader {
 public:
  Reader(std::string_view text, uint64_t line, uint64_t byte, Dialect dialect)
      : text_(text), line_(line), byte_(byte), dialect_(dialect) {}

  Value read_document() {
    Value value = read_value(0);
    skip_space();
    if (at_ < text_.size()) fail("expected nothing after the value");
    return value;
  }

 private:
  Value read_value(int depth) {
    skip_space();
    if (at_ == text_.size()) fail("expected a value, found the end");
    switch (text_[at_]) {
      case '{':
        return read_object(depth + 1);
      case '[':
        return read_array(depth + 1);
      case '"':
        return read_string();
      case 't':
        return read_word("true", true);
      case 'f':
        return read_word("false", false);
      case 'n':
        return read_word("null", nullptr);
      default:
        return read_number();
    }
  }

  Value read_object(int depth) {
    enter(depth);
    Object object;
    if (take_after_space('}')) return object;
    do {
      skip_space();
      if (peek() != '"') fail("expected a key in quotes");
      const std::string key = read_string();
      if (!take_after_space(':')) fail("expected ':' after a key");
      object.set(key, read_value(depth));
    } while (take_after_space(','));
    if (!take_after_space('}')) fail("expected ',' or '}' in an object");
    return object;
  }

  Value read_array(int depth) {
    enter(depth);
    Array array;
    if (take_after_space(']')) return array;
    do {
      array.push_back(read_value(depth));
    } while (take_after_space(','));
    if (!take_after_space(']')) fail("expected ',' or ']' in an array");
    return array;
  }

  void enter(int depth) {
    if (depth > kMaxDepth) fail(fmt::format("nested deeper than {}", kMaxDepth));
    ++at_;
  }

  Value read_word(std::string_view word, Value value) {
    if (text_.substr(at_, word.size()) != word) fail("expected a value");
    at_ += word.size();
    return value;
  }

  Value read_number() {
    const size_t start = at_;
    take('-');
    if (dialect_ == Dialect::kPython && take_python_word()) {
      return Number::from_text(std::string(text_.substr(start, at_ - start)));
    }
    if (!take('0') && !take_digits()) {
      fail(at_ == start ? "expected a value" : "expected a digit");
    }
    if (take('.') && !take_digits()) fail("expected a digit after the point");
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      if (!take_digits()) fail("expected a digit in the exponent");
    }
    return Number::from_text(std::string(text_.substr(start, at_ - start)));
  }

  bool take_python_word() {
    for (const std::string_view word : {"NaN", "Infinity"}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return true;
    }
    return false;
  }

  std::string read_string() {
    std::string out;
    ++at_;
    while (true) {
      const size_t start = at_;
      while (at_ < text_.size() && is_plain(text_[at_])) ++at_;
      out.append(text_, start, at_ - start);
      if (at_ == text_.size()) fail("expected '\"', found the end");
      const char c = text_[at_];
      if (c == '"') break;
      if (c == '\\') {
        read_escape(out);
      } else if (static_cast<unsigned char>(c) < 0x20) {
        fail("expected an escape in place of a control character");
      } else {
        read_code_point(out);
      }
    }
    ++at_;
    return out;
  }

  static bool is_plain(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
  }

  void read_code_point(std::string& out) {
    const size_t size = utf8_sequence_size(text_.substr(at_));
    if (size == 0) fail("invalid UTF-8");
    out.append(text_, at_, size);
    at_ += size;
  }

  void read_escape(std::string& out) {
    static constexpr std::string_view kEscapes = "\"\\/bfnrt";
    static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const char c = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (c == 'u') return read_unicode_escape(out);
    const size_t place = kEscapes.find(c);
    if (place == std::string_view::npos) fail("unknown escape");
    out.push_back(kMeanings[place]);
    at_ += 2;
  }

  void read_unicode_escape(std::string& out) {
    const int32_t unit = hex_escape(at_);
    if (unit < 0) fail("expected four hex digits after \\u");
    at_ += 6;
    if (unit < 0xD800 || unit > 0xDFFF) return append_utf8(out, static_cast<uint32_t>(unit));
    const int32_t low = unit < 0xDC00 ? hex_escape(at_) : -1;
    if (low < 0xDC00 || low > 0xDFFF) {
      const bool is_kept = dialect_ == Dialect::kPython;
      return append_utf8(out, is_kept ? static_cast<uint32_t>(unit) : 0xFFFD);
    }
    at_ += 6;
    append_utf8(out, 0x10000 + (static_cast<uint32_t>(unit - 0xD800) << 10) +
                         static_cast<uint32_t>(low - 0xDC00));
  }

  // The value of a \uXXXX at the place, -1 when there is none.
  int32_t hex_escape(size_t place) const {
    const std::string_view escape = text_.substr(std::min(place, text_.size()), 6);
    if (escape.size() < 6 || escape[0] != '\\' || escape[1] != 'u') return -1;
    int32_t value = 0;
    for (const char c : escape.substr(2)) {
      const int digit = hex_digit(c);
      if (digit < 0) return -1;
      value = value * 16 + digit;
    }
    return value;
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool take_after_space(char c) {
    skip_space();
    return take(c);
  }

  bool take_digits() {
    const size_t start = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    return at_ > start;
  }

  void skip_space() {
    while (at_ < text_.size() && kSpace.find(text_[at_]) != std::string_view::npos) ++at_;
  }

  [[noreturn]] void fail(std::string_view what) const {
    const std::string_view before = text_.substr(0, at_);
    const auto breaks = static_cast<uint64_t>(std::count(before.begin(), before.end(), '\n'));
    const uint64_t byte = breaks == 0 ? byte_ + at_ : at_ - before.rfind('\n');
    throw Error(ErrorCode::kInvalid,
                fmt::format("line {}, byte {}: {}", line_ + breaks, byte, what));
  }

  std::string_view text_;
  uint64_t line_;
  uint64_t byte_;
  Dialect dialect_;
  size_t at_ = 0;
};

}  // namespace

Value read(std::string_view text, uint64_t line, uint64_t byte) {
  return Reader(text, line, byte, Dialect::kJson).read_document();
}

Value read_python(std::string_view text, uint64_t line, uint64_t byte) {
  return Reader(text, line, byte, Dialect::kPython).read_document();
}

}  // namespace tidemark::json
