#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tidemark::schema {

struct CodePoint {
  uint32_t value = 0;
  size_t size = 1;  // bytes
};

// The code point that text, which is not empty, starts with; U+FFFD for a byte that is no UTF-8.
CodePoint first_code_point(std::string_view text);
size_t count_code_points(std::string_view text);
// Bytes of the first count code points.
size_t prefix_size(std::string_view text, size_t count);

// Unicode's decimal digits, category Nd: what Python's \d and int() take.
bool is_decimal_digit(uint32_t code_point);
// Python's str.strip().
std::string_view strip(std::string_view text);

}  // namespace tidemark::schema
