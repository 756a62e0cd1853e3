#include "tidemark/json/python_number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace tidemark::json {
namespace {

// The shortest digits that read back the same, in scientific notation: `-1.5e-07`.
std::string scientific(double value) {
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific)
          .ptr;
  return {text.data(), end};
}

// Python goes over to an exponent below 1e-4 and from 1e16 on; to_chars() writes it with two digits
// at least, as Python does.
std::string python_text(double value) {
  std::string text = scientific(value);
  const size_t e = text.find('e');
  const int exponent = std::atoi(text.c_str() + e + 1);
  if (exponent < -4 || exponent >= 16) return text;
  std::array<char, 64> fixed{};
  const auto end =
      std::to_chars(fixed.data(), fixed.data() + fixed.size(), value, std::chars_format::fixed).ptr;
  std::string digits(fixed.data(), end);
  return digits.find('.') == std::string::npos ? digits + ".0" : digits;
}

}  // namespace

Number python_number(const Number& number) {
  const double value = number.to_double();
  if (number.is_integer() || std::isnan(value)) return number;
  if (std::isinf(value)) return Number::from_text(value < 0 ? "-Infinity" : "Infinity");
  return Number::from_text(python_text(value));
}

Value with_python_numbers(Value value) {
  if (value.is_number()) return python_number(value.as_number());
  if (value.is_array()) {
    for (Value& item : value.as_array()) item = with_python_numbers(std::move(item));
  } else if (value.is_object()) {
    for (auto& [key, member] : value.as_object()) member = with_python_numbers(std::move(member));
  }
  return value;
}

}  // namespace tidemark::json
