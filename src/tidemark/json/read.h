#pragma once

#include <cstdint>
#include <string_view>

#include "tidemark/json/value.h"

namespace tidemark::json {

// Depth of arrays and objects that a reader accepts.
inline constexpr int kMaxDepth = 1024;

// The exact reader: RFC 8259, any number text kept, the last of duplicate keys wins in the place of
// the first. A lone surrogate escape becomes U+FFFD. Error kInvalid names the first fault and its
// line and the byte in that line, both from 1: bad syntax, invalid UTF-8, depth above kMaxDepth,
// anything after the value. line and byte are the place of the text's first byte in its file.
Value read(std::string_view text, uint64_t line = 1, uint64_t byte = 1);

// The same for what Python's json module may have written: NaN, Infinity and -Infinity are numbers
// of that text, and a lone surrogate escape is kept, as its three bytes, for write_python().
Value read_python(std::string_view text, uint64_t line = 1, uint64_t byte = 1);

}  // namespace tidemark::json
