#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark::schema {

// Numbers in text as Python reads and writes them, in ASCII digits. Each reader takes blanks
// around, a sign and `_` between digits.

// The text without `_`; nothing when one of them does not stand between two digits.
std::optional<std::string> remove_digit_separators(std::string_view text);

// dlt's text to bigint: int(), or hexadecimal behind `0x`. Nothing beyond 64 bits.
std::optional<int64_t> parse_python_int(std::string_view text);

// dlt's text to double: float() with nan and inf, or hexadecimal behind `0x`. Nothing beyond a
// double.
std::optional<double> parse_python_float(std::string_view text);

// repr(float): 1.5, 1e+20, 1e-07, 100000.0.
std::string format_python_float(double value);

}  // namespace tidemark::schema
