#include "tidemark/json/write.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tidemark/json/utf8.h"

namespace tidemark::json {

namespace {

// How one style differs from the others. Every writer shares the walk in append().
struct Style {
  std::string_view item_separator = ",";
  std::string_view key_separator = ":";
  bool is_indented = false;
  bool is_sorted = false;
  bool is_ascii = false;
  bool is_number_text_kept = true;
};

void append_escape(std::string& out, unsigned char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\b':
      out += "\\b";
      break;
    case '\f':
      out += "\\f";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    default:
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", c);
  }
}

void append_ascii_code_point(std::string& out, uint32_t code_point) {
  const auto sink = std::back_inserter(out);
  if (code_point < 0x10000) {
    fmt::format_to(sink, "\\u{:04x}", code_point);
  } else {
    fmt::format_to(sink, "\\u{:04x}\\u{:04x}", 0xD7C0 + (code_point >> 10),
                   0xDC00 + (code_point & 0x3FF));
  }
}

void append_quoted_ascii(std::string& out, std::string_view text) {
  out.push_back('"');
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text.front());
    size_t size = 1;
    if (c < 0x20 || c == '"' || c == '\\') {
      append_escape(out, c);
    } else if (c < 0x7F) {
      out.push_back(text.front());
    } else if (const uint32_t surrogate = surrogate_code_point(text); surrogate != 0) {
      size = 3;
      append_ascii_code_point(out, surrogate);
    } else {
      size = utf8_sequence_size(text);
      append_ascii_code_point(out, size == 0 ? 0xFFFD : utf8_code_point(text.substr(0, size)));
      size = std::max(size, size_t{1});
    }
    text.remove_prefix(size);
  }
  out.push_back('"');
}

// The integer as Python holds it; nothing when it has more than 64 bits.
bool append_integer(std::string& out, const std::string& text) {
  const char* end = text.data() + text.size();
  int64_t value = 0;
  if (std::from_chars(text.data(), end, value).ec == std::errc()) {
    fmt::format_to(std::back_inserter(out), "{}", value);
    return true;
  }
  uint64_t large = 0;
  if (std::from_chars(text.data(), end, large).ec != std::errc()) return false;
  out += text;
  return true;
}

void append_number(std::string& out, const Number& number, const Style& style) {
  if (style.is_number_text_kept) {
    out += number.text();
  } else if (!number.is_integer() || !append_integer(out, number.text())) {
    append_double(out, number.to_double());
  }
}

void append_string(std::string& out, std::string_view text, const Style& style) {
  if (style.is_ascii) {
    append_quoted_ascii(out, text);
  } else {
    append_quoted(out, text);
  }
}

void append_line_break(std::string& out, const Style& style, size_t depth) {
  if (!style.is_indented) return;
  out.push_back('\n');
  out.append(2 * depth, ' ');
}

void append(std::string& out, const Value& value, const Style& style, size_t depth);

void append_array(std::string& out, const Array& array, const Style& style, size_t depth) {
  out.push_back('[');
  bool is_first = true;
  for (const Value& item : array) {
    if (!std::exchange(is_first, false)) out += style.item_separator;
    append_line_break(out, style, depth + 1);
    append(out, item, style, depth + 1);
  }
  if (!array.empty()) append_line_break(out, style, depth);
  out.push_back(']');
}

void append_object(std::string& out, const Object& object, const Style& style, size_t depth) {
  std::vector<const Object::Member*> members;
  members.reserve(object.size());
  for (const auto& member : object) members.push_back(&member);
  if (style.is_sorted) {
    // Bytes of UTF-8 compare as their code points do.
    std::sort(members.begin(), members.end(),
              [](const auto* a, const auto* b) { return a->first < b->first; });
  }
  out.push_back('{');
  bool is_first = true;
  for (const auto* member : members) {
    if (!std::exchange(is_first, false)) out += style.item_separator;
    append_line_break(out, style, depth + 1);
    append_string(out, member->first, style);
    out += style.key_separator;
    append(out, member->second, style, depth + 1);
  }
  if (!members.empty()) append_line_break(out, style, depth);
  out.push_back('}');
}

void append(std::string& out, const Value& value, const Style& style, size_t depth) {
  if (value.is_null()) {
    out += "null";
  } else if (value.is_bool()) {
    out += value.as_bool() ? "true" : "false";
  } else if (value.is_number()) {
    append_number(out, value.as_number(), style);
  } else if (value.is_string()) {
    append_string(out, value.as_string(), style);
  } else if (value.is_array()) {
    append_array(out, value.as_array(), style, depth);
  } else {
    append_object(out, value.as_object(), style, depth);
  }
}

std::string write_in(const Style& style, const Value& value) {
  std::string out;
  append(out, value, style, 0);
  return out;
}

// Digits d1..dn of a double and the exponent of d1, from "d.ddde+xx".
struct Decimal {
  char digits[24];
  int count = 0;
  int exponent = 0;
};

Decimal shortest_decimal(double magnitude) {
  char text[32];
  const char* end =
      std::to_chars(text, text + sizeof text, magnitude, std::chars_format::scientific).ptr;
  Decimal decimal;
  const char* at = text;
  for (; *at != 'e'; ++at) {
    if (*at != '.') decimal.digits[decimal.count++] = *at;
  }
  ++at;
  if (*at == '+') ++at;
  std::from_chars(at, end, decimal.exponent);
  return decimal;
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  out.push_back('"');
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    out.append(text, start, i - start);
    append_escape(out, c);
    start = i + 1;
  }
  out.append(text, start, text.size() - start);
  out.push_back('"');
}

void append_double(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  if (std::signbit(value)) out.push_back('-');
  const Decimal decimal = shortest_decimal(std::fabs(value));
  const std::string_view digits(decimal.digits, static_cast<size_t>(decimal.count));
  const int point = decimal.exponent + 1;  // digits before the decimal point
  if (point > 16 || point < -4) {
    out.push_back(digits[0]);
    if (digits.size() > 1) out.append(".").append(digits.substr(1));
    fmt::format_to(std::back_inserter(out), "e{:+}", decimal.exponent);
  } else if (point <= 0) {
    out.append("0.").append(static_cast<size_t>(-point), '0').append(digits);
  } else if (const auto before = static_cast<size_t>(point); before < digits.size()) {
    out.append(digits.substr(0, before)).append(".").append(digits.substr(before));
  } else {
    out.append(digits).append(before - digits.size(), '0').append(".0");
  }
}

std::string write(const Value& value) { return write_in({}, value); }

std::string write_pretty(const Value& value) {
  return write_in({.key_separator = ": ", .is_indented = true}, value);
}

std::string write_orjson(const Value& value, bool sort_keys) {
  return write_in({.is_sorted = sort_keys, .is_number_text_kept = false}, value);
}

std::string write_python(const Value& value) {
  return write_in({.item_separator = ", ", .key_separator = ": ", .is_ascii = true}, value);
}

std::string write_python_compact(const Value& value) { return write_in({.is_ascii = true}, value); }

std::string write_python_pretty(const Value& value) {
  return write_in({.key_separator = ": ", .is_indented = true, .is_ascii = true}, value);
}

}  // namespace tidemark::json
