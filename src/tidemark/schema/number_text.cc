#include "tidemark/schema/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "tidemark/base/ascii.h"
#include "tidemark/schema/unicode.h"

namespace tidemark::schema {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

template <typename Number, typename... Format>
std::optional<Number> parse_whole(std::string_view text, Format... format) {
  Number value{};
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, format...);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

// The digits behind `0x`; nothing when the text is no such number.
std::optional<std::string_view> hex_digits(std::string_view text) {
  if (!text.starts_with("0x") || text.size() == 2) {
    return std::nullopt;
  }
  text.remove_prefix(2);
  return std::all_of(text.begin(), text.end(), is_hex_digit) ? std::optional(text) : std::nullopt;
}

std::optional<double> parse_special(std::string_view text) {
  const std::string lower = ascii_lower(text);
  if (lower == "nan") {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (lower == "inf" || lower == "infinity") {
    return std::numeric_limits<double>::infinity();
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> remove_digit_separators(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      result += text[i];
    } else if (i == 0 || i + 1 == text.size() || !is_digit(text[i - 1]) || !is_digit(text[i + 1])) {
      return std::nullopt;
    }
  }
  return result;
}

std::optional<int64_t> parse_python_int(std::string_view text) {
  text = strip(text);
  if (text.starts_with("0x")) {
    const std::optional<std::string_view> digits = hex_digits(text);
    return digits ? parse_whole<int64_t>(*digits, 16) : std::nullopt;
  }
  std::optional<std::string> plain = remove_digit_separators(text);
  if (!plain) {
    return std::nullopt;
  }
  std::string_view digits = *plain;
  if (digits.size() > 1 && digits[0] == '+' && is_digit(digits[1])) {
    digits.remove_prefix(1);
  }
  return parse_whole<int64_t>(digits);
}

std::optional<double> parse_python_float(std::string_view text) {
  text = strip(text);
  if (text.starts_with("0x")) {
    const std::optional<std::string_view> digits = hex_digits(text);
    return digits ? parse_whole<double>(*digits, std::chars_format::hex) : std::nullopt;
  }
  const std::optional<std::string> plain = remove_digit_separators(text);
  if (!plain) {
    return std::nullopt;
  }
  std::string_view number = *plain;
  const bool is_negative = number.starts_with('-');
  if (is_negative || number.starts_with('+')) {
    number.remove_prefix(1);
  }
  const bool is_numeric = !number.empty() && (is_digit(number[0]) || number[0] == '.');
  const std::optional<double> value =
      is_numeric ? parse_whole<double>(number) : parse_special(number);
  return value && is_negative ? std::optional(-*value) : value;
}

std::string format_python_float(double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (std::isinf(value)) {
    return value < 0 ? "-inf" : "inf";
  }
  char buffer[32];
  const char* end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  const std::string_view scientific(buffer, static_cast<size_t>(end - buffer));
  const size_t e = scientific.find('e');
  const int exponent = std::stoi(std::string(scientific.substr(e + 1)));
  if (exponent < -4 || exponent >= 16) {
    return std::string(scientific);
  }
  std::string text(
      buffer, std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed).ptr);
  return text.find('.') == std::string::npos ? text + ".0" : text;
}

}  // namespace tidemark::schema
