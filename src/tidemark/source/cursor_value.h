#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "tidemark/json/node.h"
#include "tidemark/json/value.h"

namespace tidemark::source {

// A value that a cursor can stand at, made ready for ordering. Valid as long as what it was read
// from; making one allocates nothing.
struct CursorView {
  enum class Kind : uint8_t {
    kNone,      // null, booleans, arrays, objects, bytes: nothing a cursor can stand at
    kInteger,   // integer
    kUnsigned,  // above INT64_MAX; integer holds the bits
    kDouble,    // real
    kDigits,    // decimals, and numbers that fit neither 64 bits nor a double; in text
    kText,
    kDatetime,  // integer = microseconds since the epoch; a naive one counts as UTC
    kDate,      // integer = days since the epoch
    kTime,      // integer = microseconds since midnight
  };

  Kind kind = Kind::kNone;
  int64_t integer = 0;
  double real = 0;
  std::string_view text = {};  // of strings the whole text, marker of typed JSON included
};

CursorView cursor_view(json::Node node);
CursorView cursor_view(const json::Value& value);

// Orders numbers of every kind exactly, text by code points, dates and times by value. Unordered:
// the two cannot be compared, as a number with a text or a date with a date-time.
std::partial_ordering compare(const CursorView& left, const CursorView& right);

// The same with its text kept. Assigning reuses the text's memory.
class CursorValue {
 public:
  CursorValue() = default;
  explicit CursorValue(const json::Value& value) { assign(cursor_view(value)); }

  void assign(const CursorView& view);
  bool is_set() const { return value_.kind != CursorView::Kind::kNone; }
  CursorView view() const;
  // As it was read; null when nothing is set.
  json::Value to_json() const;

 private:
  CursorView value_;
  std::string text_;
};

}  // namespace tidemark::source
