#include "tidemark/schema/unicode.h"

#include <algorithm>
#include <array>

#include "tidemark/json/utf8.h"

namespace tidemark::schema {
namespace {

// The zeros of category Nd in Unicode 14, which Python 3.11 knows; nine more digits follow each.
constexpr std::array<uint32_t, 65> kDigitZeros = {
    0x0660,  0x06F0,  0x07C0,  0x0966,  0x09E6,  0x0A66,  0x0AE6,  0x0B66,  0x0BE6,  0x0C66,
    0x0CE6,  0x0D66,  0x0DE6,  0x0E50,  0x0ED0,  0x0F20,  0x1040,  0x1090,  0x17E0,  0x1810,
    0x1946,  0x19D0,  0x1A80,  0x1A90,  0x1B50,  0x1BB0,  0x1C40,  0x1C50,  0xA620,  0xA8D0,
    0xA900,  0xA9D0,  0xA9F0,  0xAA50,  0xABF0,  0xFF10,  0x104A0, 0x10D30, 0x11066, 0x110F0,
    0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x11730, 0x118E0, 0x11950,
    0x11C50, 0x11D50, 0x11DA0, 0x16A60, 0x16AC0, 0x16B50, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC,
    0x1D7F6, 0x1E140, 0x1E2F0, 0x1E950, 0x1FBF0,
};
constexpr uint32_t kReplacement = 0xFFFD;

bool is_space(uint32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 ||
         c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

size_t last_size(std::string_view text) {
  size_t size = 1;
  while (size < text.size() && size < 4 &&
         (static_cast<uint8_t>(text[text.size() - size]) & 0xC0) == 0x80) {
    ++size;
  }
  return size;
}

}  // namespace

CodePoint first_code_point(std::string_view text) {
  const uint8_t byte = static_cast<uint8_t>(text[0]);
  if (byte < 0x80) {
    return {byte, 1};
  }
  const size_t size = json::utf8_sequence_size(text);
  if (size == 0) {
    return {kReplacement, 1};
  }
  return {json::utf8_code_point(text.substr(0, size)), size};
}

size_t count_code_points(std::string_view text) {
  size_t count = 0;
  for (; !text.empty(); ++count) {
    text.remove_prefix(first_code_point(text).size);
  }
  return count;
}

size_t prefix_size(std::string_view text, size_t count) {
  size_t size = 0;
  for (; count > 0 && size < text.size(); --count) {
    size += first_code_point(text.substr(size)).size;
  }
  return size;
}

bool is_decimal_digit(uint32_t code_point) {
  if (code_point < 0x80) {
    return code_point >= '0' && code_point <= '9';
  }
  const auto after = std::upper_bound(kDigitZeros.begin(), kDigitZeros.end(), code_point);
  return after != kDigitZeros.begin() && code_point - *std::prev(after) < 10;
}

std::string_view strip(std::string_view text) {
  while (!text.empty()) {
    const CodePoint first = first_code_point(text);
    if (!is_space(first.value)) {
      break;
    }
    text.remove_prefix(first.size);
  }
  while (!text.empty()) {
    const size_t size = last_size(text);
    const CodePoint last = first_code_point(text.substr(text.size() - size));
    if (last.size != size || !is_space(last.value)) {
      break;
    }
    text.remove_suffix(size);
  }
  return text;
}

}  // namespace tidemark::schema
