#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tidemark/json/value.h"

namespace tidemark::json {

// dlt's typed JSON: a string whose first code point is one of U+F026 to U+F02D (UTF-8 EF 80 A6 to
// EF 80 AD) and that goes on holds a value of another type as text.
enum class TypedKind : uint8_t {
  kDecimal = 0xA6,
  kDatetime = 0xA7,
  kDate = 0xA8,
  kUuid = 0xA9,
  kHexBytes = 0xAA,
  kBytes = 0xAB,
  kWei = 0xAC,
  kTime = 0xAD,
};

// The kind and the text behind the marker; nothing for a plain string.
std::optional<std::pair<TypedKind, std::string_view>> typed(std::string_view text);
std::string make_typed(TypedKind kind, std::string_view text);

// The same document with every marker taken off.
Value without_markers(const Value& value);

}  // namespace tidemark::json
