#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark::schema {

// 128-bit integer of a decimal or wei: value = unscaled / 10^scale.
__extension__ using Int128 = __int128;

// Digits of a decimal or wei at the most; 10^38 - 1 is the largest one.
inline constexpr int kMaxDecimalDigits = 38;

// Of a decimal column whose scale is not given (dlt 1.31).
inline constexpr int kDecimalScale = 9;

struct Decimal {
  Int128 unscaled = 0;
  int scale = 0;  // not negative
  bool operator==(const Decimal&) const = default;
};

// The decimal at that scale, rounded half away from zero; nothing beyond 38 digits.
std::optional<Int128> rescale(const Decimal& value, int scale);

// The whole number that the decimal is; nothing when it has a fraction or does not fit.
std::optional<int64_t> to_int64(const Decimal& value);

// A decimal as dlt reads it: Python's Decimal() with sign, blanks around, `_` between digits and
// exponent, or hexadecimal digits behind `0x`. Nothing for other text, NaN, infinities, and for
// more than 38 digits in front of the point. Digits of the fraction beyond 38 in all are cut: no
// column has a scale that shows them.
std::optional<Decimal> parse_decimal(std::string_view text);

// Python's str(Decimal(text)) of what Decimal() reads, of any length: `1.20`, `1E+3`; nothing for
// other text.
std::optional<std::string> format_python_decimal(std::string_view text);

}  // namespace tidemark::schema
