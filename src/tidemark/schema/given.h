#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tidemark/json/node.h"
#include "tidemark/schema/data_type.h"

// What a value of the source is before it becomes one of a column. Internal to the module.
namespace tidemark::schema {

// The instants that Python's datetime has: years 1 to 9999, in seconds and microseconds UTC.
inline constexpr int64_t kMicrosPerSecond = 1'000'000;
inline constexpr int64_t kMinSeconds = -62'135'596'800;
inline constexpr int64_t kEndSeconds = 253'402'300'800;
inline bool is_in_range(int64_t micros) {
  return micros >= kMinSeconds * kMicrosPerSecond && micros < kEndSeconds * kMicrosPerSecond;
}

// A value seen as one of dlt's types. text is what stands behind a typed marker, the string itself,
// or the digits of a number beyond 64 bits.
struct Given {
  DataType type = DataType::kText;
  std::string_view text;
  json::Node node;
  // A number of which no type but text holds all digits.
  bool is_huge_number = false;
};

// Without any detection: a date-time in a plain string is text. A string whose typed marker
// (json/typed.h) says what its text is not is a text, marker and all, as in dlt.
Given classify(json::Node value);

// Microseconds UTC of an ISO date-time; nothing for another text or one beyond Python's years.
std::optional<int64_t> datetime_micros(std::string_view text);
// The bytes that `0x` and hex digits, or base64, stand for.
std::optional<std::string> text_bytes(std::string_view text);

}  // namespace tidemark::schema
