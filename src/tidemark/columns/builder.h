#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tidemark/columns/column.h"

namespace tidemark::columns {

// Grows one column value by value. Nothing here throws but for lack of memory; the caller appends only
// what the layout takes.
class ColumnBuilder {
 public:
  explicit ColumnBuilder(Layout layout);

  Layout layout() const { return layout_; }
  size_t size() const { return rows_; }
  // Bytes held by values, for limits.
  size_t byte_size() const;

  void append_bool(bool value);
  void append_int32(int32_t value);
  void append_int64(int64_t value);
  void append_double(double value);
  void append_int128(Int128 value);
  void append_bytes(std::string_view value);
  void append_null() { append_nulls(1); }
  void append_nulls(size_t count);
  // Appends nulls until there are `rows` rows: columns that a row does not have are left behind and padded
  // once, not row by row.
  void pad(size_t rows) {
    if (rows_ < rows) append_nulls(rows - rows_);
  }
  // Takes back everything from that row on.
  void truncate(size_t rows);
  void clear() { truncate(0); }

  ColumnView view() const;

 private:
  void mark_valid();

  Layout layout_;
  size_t rows_ = 0;
  size_t null_count_ = 0;
  std::vector<uint8_t> validity_;  // empty until the first null
  std::vector<uint8_t> values_;
  std::vector<uint32_t> offsets_;
  std::vector<char> bytes_;
};

}  // namespace tidemark::columns
