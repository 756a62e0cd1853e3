#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark::columns {

__extension__ using Int128 = __int128;

// How the values of a column lie in memory: Arrow's C data layout
// (https://arrow.apache.org/docs/format/Columnar.html), little endian.
enum class Layout : uint8_t {
  kBool = 1,   // one bit a value, least significant first
  kInt32 = 2,  // date: days since the epoch
  kInt64 = 3,  // bigint; timestamp and time in microseconds
  kDouble = 4,
  kInt128 = 5,  // decimal and wei, unscaled
  kBytes = 6,   // uint32 offsets and bytes: text, json, binary
};

// Bytes of one value; 0 for kBool and kBytes.
constexpr size_t value_width(Layout layout) {
  switch (layout) {
    case Layout::kInt32:
      return 4;
    case Layout::kInt64:
    case Layout::kDouble:
      return 8;
    case Layout::kInt128:
      return 16;
    case Layout::kBool:
    case Layout::kBytes:
      return 0;
  }
  return 0;
}

// Borrowed values of one column.
struct ColumnView {
  Layout layout = Layout::kBytes;
  size_t rows = 0;
  const uint8_t* validity = nullptr;  // one bit a row, least significant first; nullptr = no nulls
  const uint8_t* values = nullptr;    // fixed-width values, or the bits of kBool
  const uint32_t* offsets = nullptr;  // rows + 1 of them, kBytes only
  const char* bytes = nullptr;        // kBytes only

  bool is_valid(size_t row) const {
    return validity == nullptr || (validity[row >> 3] >> (row & 7) & 1) != 0;
  }
  std::string_view text(size_t row) const {
    return {bytes + offsets[row], offsets[row + 1] - offsets[row]};
  }
  bool boolean(size_t row) const { return (values[row >> 3] >> (row & 7) & 1) != 0; }
};

// What a column of a chunk is called and holds.
struct ColumnInfo {
  std::string name;  // as in the destination
  std::string type;  // data type as in a stored schema: "bigint", "timestamp", ...
  Layout layout = Layout::kBytes;
  int scale = 0;  // decimal only: value = unscaled / 10^scale

  bool operator==(const ColumnInfo&) const = default;
};

}  // namespace tidemark::columns
