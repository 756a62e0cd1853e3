#include "tidemark/schema/decimal.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include <fmt/core.h>

#include "tidemark/schema/number_text.h"
#include "tidemark/schema/unicode.h"

namespace tidemark::schema {
namespace {

constexpr std::array<Int128, kMaxDecimalDigits + 1> make_powers() {
  std::array<Int128, kMaxDecimalDigits + 1> powers{};
  powers[0] = 1;
  for (size_t i = 1; i < powers.size(); ++i) {
    powers[i] = powers[i - 1] * 10;
  }
  return powers;
}

constexpr std::array<Int128, kMaxDecimalDigits + 1> kPowers = make_powers();
// Nothing that a column holds has more zeros than this.
constexpr int64_t kMaxExponent = 100'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// value = digits * 10^exponent, without leading zeros; zero has no digits.
struct Digits {
  bool is_negative = false;
  std::string digits;
  int64_t exponent = 0;
};

std::optional<int64_t> parse_exponent(std::string_view text) {
  if (text.empty()) {
    return 0;
  }
  text.remove_prefix(1);  // e
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) {
      return std::nullopt;
    }
  }
  int64_t exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc() || end != text.data() + text.size() || exponent > kMaxExponent ||
      exponent < -kMaxExponent) {
    return std::nullopt;
  }
  return exponent;
}

std::optional<Decimal> parse_hexadecimal(std::string_view digits) {
  Decimal result;
  for (char c : digits) {
    const int value = is_digit(c)            ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (value < 0 || result.unscaled > (kPowers[kMaxDecimalDigits] - 1 - value) / 16) {
      return std::nullopt;
    }
    result.unscaled = result.unscaled * 16 + value;
  }
  return digits.empty() ? std::nullopt : std::optional(result);
}

// Cuts the digits down to what a decimal holds. Where that loses something the last digit is not
// zero, so that the rest is never taken for a whole number; roundings to fewer digits come out as
// they would.
bool cut_fraction(std::string& digits, int64_t& scale) {
  if (digits.size() <= kMaxDecimalDigits) {
    return true;
  }
  const size_t excess = digits.size() - kMaxDecimalDigits;
  if (static_cast<int64_t>(excess) > scale) {
    return false;
  }
  const bool is_exact = digits.find_first_not_of('0', kMaxDecimalDigits) == std::string::npos;
  digits.resize(kMaxDecimalDigits);
  if (!is_exact && digits.back() == '0') {
    digits.back() = '1';
  }
  scale -= static_cast<int64_t>(excess);
  return true;
}

std::optional<Digits> parse_digits(std::string_view text) {
  const std::optional<std::string> plain = remove_digit_separators(strip(text));
  if (!plain) {
    return std::nullopt;
  }
  std::string_view rest = *plain;
  Digits result;
  if (rest.starts_with('+') || rest.starts_with('-')) {
    result.is_negative = rest[0] == '-';
    rest.remove_prefix(1);
  }
  const size_t exponent_at = std::min(rest.find_first_of("eE"), rest.size());
  const std::string_view mantissa = rest.substr(0, exponent_at);
  const std::optional<int64_t> exponent = parse_exponent(rest.substr(exponent_at));
  if (!exponent || (exponent_at < rest.size() && exponent_at + 1 == rest.size())) {
    return std::nullopt;
  }
  const size_t point = std::min(mantissa.find('.'), mantissa.size());
  result.digits = std::string(mantissa.substr(0, point));
  const size_t fraction = mantissa.size() - point;
  if (fraction > 0) {
    result.digits += mantissa.substr(point + 1);
  }
  if (result.digits.empty() || !std::all_of(result.digits.begin(), result.digits.end(), is_digit)) {
    return std::nullopt;
  }
  result.exponent = *exponent - static_cast<int64_t>(fraction > 0 ? fraction - 1 : 0);
  result.digits.erase(0, result.digits.find_first_not_of('0'));
  return result;
}

}  // namespace

std::optional<Int128> rescale(const Decimal& value, int scale) {
  if (scale >= value.scale) {
    const int up = scale - value.scale;
    if (value.unscaled == 0) {
      return 0;
    }
    if (up > kMaxDecimalDigits) {
      return std::nullopt;
    }
    const Int128 limit = (kPowers[kMaxDecimalDigits] - 1) / kPowers[static_cast<size_t>(up)];
    if (value.unscaled > limit || value.unscaled < -limit) {
      return std::nullopt;
    }
    return value.unscaled * kPowers[static_cast<size_t>(up)];
  }
  const int down = value.scale - scale;
  if (down > kMaxDecimalDigits) {
    return 0;
  }
  const Int128 divisor = kPowers[static_cast<size_t>(down)];
  const Int128 rest = value.unscaled % divisor;
  const Int128 half = divisor / 2;
  return value.unscaled / divisor + (rest >= half ? 1 : rest <= -half ? -1 : 0);
}

std::optional<int64_t> to_int64(const Decimal& value) {
  Int128 whole = value.unscaled;
  if (value.scale > 0 && whole != 0) {
    if (value.scale > kMaxDecimalDigits || whole % kPowers[static_cast<size_t>(value.scale)] != 0) {
      return std::nullopt;
    }
    whole /= kPowers[static_cast<size_t>(value.scale)];
  }
  if (whole > std::numeric_limits<int64_t>::max() || whole < std::numeric_limits<int64_t>::min()) {
    return std::nullopt;
  }
  return static_cast<int64_t>(whole);
}

std::optional<Decimal> parse_decimal(std::string_view text) {
  text = strip(text);
  if (text.starts_with("0x")) {
    return parse_hexadecimal(text.substr(2));
  }
  std::optional<Digits> number = parse_digits(text);
  if (!number) {
    return std::nullopt;
  }
  std::string& digits = number->digits;
  if (number->exponent > 0 && !digits.empty()) {
    if (number->exponent > kMaxDecimalDigits) {
      return std::nullopt;
    }
    digits.append(static_cast<size_t>(number->exponent), '0');
  }
  int64_t scale = std::max<int64_t>(-number->exponent, 0);
  if (!cut_fraction(digits, scale)) {
    return std::nullopt;
  }
  Decimal result{0, static_cast<int>(scale)};
  for (char digit : digits) {
    result.unscaled = result.unscaled * 10 + (digit - '0');
  }
  if (number->is_negative) {
    result.unscaled = -result.unscaled;
  }
  return result;
}

// The to-scientific-string of the decimal arithmetic specification, which Python follows.
std::optional<std::string> format_python_decimal(std::string_view text) {
  std::optional<Digits> number = parse_digits(text);
  if (!number) {
    return std::nullopt;
  }
  std::string digits = number->digits.empty() ? "0" : number->digits;
  const int64_t point = static_cast<int64_t>(digits.size()) + number->exponent;
  const int64_t adjusted = point - 1;
  std::string out = number->is_negative ? "-" : "";
  if (number->exponent <= 0 && adjusted >= -6) {
    if (point <= 0) {
      digits.insert(0, static_cast<size_t>(1 - point), '0');
    }
    const size_t fraction = static_cast<size_t>(-number->exponent);
    out += digits.substr(0, digits.size() - fraction);
    return fraction == 0 ? out : out + "." + digits.substr(digits.size() - fraction);
  }
  out += digits[0];
  if (digits.size() > 1) {
    out += "." + digits.substr(1);
  }
  return out + fmt::format("E{:+}", adjusted);
}

}  // namespace tidemark::schema
