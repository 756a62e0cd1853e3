#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark::json {

// Bytes of the code point that text starts with: 1 to 4; 0 when that is no valid UTF-8 (overlong
// forms, surrogates and what lies above U+10FFFF included) or text is empty.
size_t utf8_sequence_size(std::string_view text);

// Bytes of text that are valid UTF-8, from its start: all of them, or the place of the first fault.
size_t valid_utf8_size(std::string_view text);

// The code point in the bytes of one valid sequence.
uint32_t utf8_code_point(std::string_view sequence);

// The surrogate in the three bytes that text starts with, as append_utf8() writes one; 0 when there
// is none.
uint32_t surrogate_code_point(std::string_view text);

// code_point is at most U+10FFFF. A surrogate gives three bytes that are no UTF-8.
void append_utf8(std::string& out, uint32_t code_point);

}  // namespace tidemark::json
