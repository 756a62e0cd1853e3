#include "tidemark/project/python_literal.h"

#include <array>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "tidemark/config/yaml_scalar.h"
#include "tidemark/json/utf8.h"

namespace tidemark::project {
namespace {

constexpr int kMaxDepth = 100;

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::optional<json::Value> read_all() {
    std::optional<json::Value> value = read_value(0);
    skip_blanks();
    return rest_.empty() ? std::move(value) : std::nullopt;
  }

 private:
  void skip_blanks() {
    const size_t end = rest_.find_first_not_of(" \t\r\n\f");
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end);
  }

  bool take(char c) {
    skip_blanks();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::optional<json::Value> read_value(int depth) {
    if (depth > kMaxDepth) return std::nullopt;
    if (take('[')) return read_items(']', depth);
    if (take('(')) return read_items(')', depth);
    if (take('{')) return read_members(depth);
    skip_blanks();
    if (rest_.starts_with('\'') || rest_.starts_with('"')) {
      std::optional<std::string> text = read_text();
      return text ? std::optional<json::Value>(std::move(*text)) : std::nullopt;
    }
    return read_word();
  }

  std::optional<json::Value> read_items(char end, int depth) {
    json::Array items;
    while (!take(end)) {
      std::optional<json::Value> item = read_value(depth + 1);
      if (!item) return std::nullopt;
      items.push_back(std::move(*item));
      if (take(',')) continue;
      if (!take(end)) return std::nullopt;
      break;
    }
    return items;
  }

  std::optional<json::Value> read_members(int depth) {
    json::Object object;
    while (!take('}')) {
      skip_blanks();
      std::optional<std::string> key = read_text();
      if (!key || !take(':')) return std::nullopt;
      std::optional<json::Value> value = read_value(depth + 1);
      if (!value) return std::nullopt;
      object.set(*key, std::move(*value));
      if (take(',')) continue;
      if (!take('}')) return std::nullopt;
      break;
    }
    return object;
  }

  std::optional<json::Value> read_word() {
    const size_t end = rest_.find_first_of(" \t\r\n\f,:[](){}'\"");
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(word.size());
    if (word == "True") return json::Value(true);
    if (word == "False") return json::Value(false);
    if (word == "None") return json::Value();
    std::optional<json::Value> value = config::resolve_plain_scalar(word);
    return value && value->is_number() ? std::move(value) : std::nullopt;
  }

  std::optional<std::string> read_text() {
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return std::nullopt;
    const char quote = rest_[0];
    rest_.remove_prefix(1);
    std::string text;
    while (!rest_.empty() && rest_[0] != quote) {
      const char c = rest_[0];
      rest_.remove_prefix(1);
      if (c == '\n') return std::nullopt;
      if (c != '\\') {
        text += c;
      } else if (!read_escape(text)) {
        return std::nullopt;
      }
    }
    if (rest_.empty()) return std::nullopt;
    rest_.remove_prefix(1);
    return text;
  }

  bool read_escape(std::string& text) {
    if (rest_.empty()) return false;
    const char c = rest_[0];
    rest_.remove_prefix(1);
    constexpr std::string_view kLetters = "\\'\"abfnrtv";
    constexpr std::string_view kCharacters = "\\'\"\a\b\f\n\r\t\v";
    if (const size_t place = kLetters.find(c); place != std::string_view::npos) {
      text += kCharacters[place];
      return true;
    }
    switch (c) {
      case 'x':
        return read_code_point(text, 2);
      case 'u':
        return read_code_point(text, 4);
      case 'U':
        return read_code_point(text, 8);
      default:
        return false;
    }
  }

  bool read_code_point(std::string& text, size_t digits) {
    if (rest_.size() < digits) return false;
    uint32_t code = 0;
    for (char c : rest_.substr(0, digits)) {
      constexpr std::string_view kDigits = "0123456789abcdef0123456789ABCDEF";
      const size_t digit = kDigits.find(c);
      if (digit == std::string_view::npos) return false;
      code = code * 16 + static_cast<uint32_t>(digit % 16);
    }
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return false;
    rest_.remove_prefix(digits);
    json::append_utf8(text, code);
    return true;
  }

  std::string_view rest_;
};

std::string text_literal(const std::string& text) {
  const bool has_single = text.find('\'') != std::string::npos;
  const char quote = has_single && text.find('"') == std::string::npos ? '"' : '\'';
  std::string out(1, quote);
  for (char c : text) {
    constexpr std::string_view kEscaped = "\\\n\r\t";
    constexpr std::string_view kLetters = "\\nrt";
    const size_t place = c == '\0' ? std::string_view::npos : kEscaped.find(c);
    if (place != std::string_view::npos) {
      out += '\\';
      out += kLetters[place];
    } else if (c == quote) {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  out += quote;
  return out;
}

}  // namespace

std::optional<json::Value> read_python_literal(std::string_view text) {
  return Reader(text).read_all();
}

std::string python_literal(const json::Value& value) {
  if (value.is_null()) return "None";
  if (value.is_bool()) return value.as_bool() ? "True" : "False";
  if (value.is_number()) return value.as_number().text();
  if (value.is_string()) return text_literal(value.as_string());
  std::string out;
  if (value.is_array()) {
    for (const json::Value& item : value.as_array()) {
      out += fmt::format("{}{}", out.empty() ? "" : ", ", python_literal(item));
    }
    return fmt::format("[{}]", out);
  }
  for (const auto& [key, member] : value.as_object()) {
    out +=
        fmt::format("{}{}: {}", out.empty() ? "" : ", ", text_literal(key), python_literal(member));
  }
  return fmt::format("{{{}}}", out);
}

}  // namespace tidemark::project
