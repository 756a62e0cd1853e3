#include "tidemark/config/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace tidemark::config {
namespace {

using Words = std::array<std::string_view, 3>;

constexpr std::array<std::string_view, 5> kNull{"", "~", "null", "Null", "NULL"};
constexpr Words kTrue{"true", "True", "TRUE"};
constexpr Words kFalse{"false", "False", "FALSE"};
constexpr Words kInfinity{".inf", ".Inf", ".INF"};
constexpr Words kNan{".nan", ".NaN", ".NAN"};

template <size_t size>
bool is_one_of(std::string_view text, const std::array<std::string_view, size>& words) {
  return std::ranges::find(words, text) != words.end();
}

std::string_view take_digits(std::string_view& text) {
  const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  return digits;
}

bool take_either(std::string_view& text, char a, char b) {
  if (!text.starts_with(a) && !text.starts_with(b)) return false;
  text.remove_prefix(1);
  return true;
}

// The parts of `[-+]? digits [. digits] [e [-+] digits]`.
struct Decimal {
  bool is_negative = false;
  std::string_view whole;
  bool has_point = false;
  std::string_view fraction;
  std::string_view exponent;  // with its e and sign
};

std::optional<Decimal> scan_decimal(std::string_view text) {
  Decimal decimal;
  decimal.is_negative = text.starts_with('-');
  take_either(text, '-', '+');
  decimal.whole = take_digits(text);
  decimal.has_point = take_either(text, '.', '.');
  if (decimal.has_point) decimal.fraction = take_digits(text);
  if (decimal.whole.empty() && decimal.fraction.empty()) return std::nullopt;
  decimal.exponent = text;
  if (take_either(text, 'e', 'E')) {
    take_either(text, '-', '+');
    if (take_digits(text).empty()) return std::nullopt;
  }
  if (!text.empty()) return std::nullopt;
  return decimal;
}

// JSON has no plus, no leading zeros and no point without digits on both sides.
std::string json_text(const Decimal& decimal) {
  std::string_view whole = decimal.whole;
  whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
  if (whole.empty()) whole = "0";
  if (!decimal.has_point && decimal.exponent.empty()) {
    return fmt::format("{}{}", decimal.is_negative && whole != "0" ? "-" : "", whole);
  }
  const std::string_view fraction = decimal.fraction.empty() ? "0" : decimal.fraction;
  return fmt::format("{}{}{}{}{}", decimal.is_negative ? "-" : "", whole,
                     decimal.has_point ? "." : "", decimal.has_point ? fraction : "",
                     decimal.exponent);
}

// The base of `0o17` and `0x1f`, when the digits are right for it.
std::optional<int> prefixed_base(std::string_view text) {
  if (text.size() < 3) return std::nullopt;
  const std::string_view digits = text.substr(2);
  if (text.starts_with("0o") && digits.find_first_not_of("01234567") == std::string_view::npos) {
    return 8;
  }
  constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";
  if (text.starts_with("0x") && digits.find_first_not_of(kHexDigits) == std::string_view::npos) {
    return 16;
  }
  return std::nullopt;
}

std::optional<json::Value> parse_prefixed(std::string_view text, int base) {
  uint64_t number = 0;
  const auto [end, fault] =
      std::from_chars(text.data() + 2, text.data() + text.size(), number, base);
  if (fault != std::errc()) return std::nullopt;
  return json::Value(number);
}

}  // namespace

std::optional<json::Value> resolve_plain_scalar(std::string_view text) {
  if (is_one_of(text, kNull)) return json::Value();
  if (is_one_of(text, kTrue)) return json::Value(true);
  if (is_one_of(text, kFalse)) return json::Value(false);
  if (const std::optional<int> base = prefixed_base(text)) return parse_prefixed(text, *base);
  if (const std::optional<Decimal> decimal = scan_decimal(text)) {
    return json::Value(json::Number::from_text(json_text(*decimal)));
  }
  std::string_view unsigned_text = text;
  take_either(unsigned_text, '-', '+');
  if (is_one_of(unsigned_text, kInfinity) || is_one_of(text, kNan)) return std::nullopt;
  return json::Value(text);
}

}  // namespace tidemark::config
