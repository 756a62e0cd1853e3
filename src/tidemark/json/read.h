#pragma once

#include <string_view>

#include "tidemark/json/value.h"

namespace tidemark::json {

// Depth of arrays and objects that a reader accepts.
inline constexpr int kMaxDepth = 1024;

// The exact reader: RFC 8259, any number text kept, the last of duplicate keys wins in the place of the
// first. A lone surrogate escape becomes U+FFFD. Error kInvalid names line and byte of the first fault:
// bad syntax, invalid UTF-8, depth above kMaxDepth, anything after the value.
Value read(std::string_view text);

}  // namespace tidemark::json
