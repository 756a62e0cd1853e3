#include "tidemark/config/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "tidemark/config/yaml_timestamp.h"

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

// The base of `0b11`, `0o17` and `0x1f`, when the digits are right for it.
std::optional<int> prefixed_base(std::string_view text) {
  if (text.size() < 3) return std::nullopt;
  const std::string_view digits = text.substr(2);
  const auto are_all_of = [digits](std::string_view known) {
    return digits.find_first_not_of(known) == std::string_view::npos;
  };
  if (text.starts_with("0b") && are_all_of("01")) return 2;
  if (text.starts_with("0o") && are_all_of("01234567")) return 8;
  if (text.starts_with("0x") && are_all_of("0123456789abcdefABCDEF")) return 16;
  return std::nullopt;
}

// Meltano's reader takes `1_000` for a number. Nothing when the text cannot be one for its digits.
std::optional<std::string> without_separators(std::string_view text) {
  if (text.find('_') == std::string_view::npos) return std::nullopt;
  if (text.find_first_not_of("0123456789_.-+bxoabcdefABCDEF") != std::string_view::npos) {
    return std::nullopt;
  }
  const size_t digit = text.find_first_of("0123456789_");
  if (digit > 1 || text[digit] == '_') return std::nullopt;
  std::string digits(text);
  std::erase(digits, '_');
  return digits;
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
  if (const std::optional<std::string> digits = without_separators(text)) {
    std::optional<json::Value> number = resolve_plain_scalar(*digits);
    return number && number->is_number() ? std::move(number) : json::Value(text);
  }
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
  if (std::optional<std::string> timestamp = timestamp_text(text)) {
    return json::Value(std::move(*timestamp));
  }
  return json::Value(text);
}

}  // namespace tidemark::config
