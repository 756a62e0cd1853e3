#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "tidemark/columns/column.h"

namespace tidemark::columns {

// Bytes that grow at the end without being zeroed first.
class GrowingBytes {
 public:
  size_t size() const { return size_; }
  uint8_t* data() { return data_.get(); }
  const uint8_t* data() const { return data_.get(); }

  // Room for `count` more bytes, counted as written; the caller writes them.
  uint8_t* extend(size_t count) {
    if (capacity_ - size_ < count) grow(count);
    uint8_t* at = data_.get() + size_;
    size_ += count;
    return at;
  }
  void resize_down(size_t size) { size_ = size; }

 private:
  void grow(size_t count);

  std::unique_ptr<uint8_t[]> data_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

// Grows one column value by value. The caller appends only what the layout takes; nothing throws
// but for lack of memory. A kBytes column holds less than 4 GiB: the caller starts a new chunk long
// before.
class ColumnBuilder {
 public:
  explicit ColumnBuilder(Layout layout);

  Layout layout() const { return layout_; }
  size_t size() const { return rows_; }

  void append_bool(bool value);
  void append_int32(int32_t value) { append_fixed(value); }
  void append_int64(int64_t value) { append_fixed(value); }
  void append_double(double value) { append_fixed(value); }
  void append_int128(Int128 value) { append_fixed(value); }
  void append_bytes(std::string_view value) {
    // memcpy wants two pointers even for nothing, and an empty buffer has none.
    if (!value.empty()) {
      std::memcpy(values_.extend(value.size()), value.data(), value.size());
    }
    append_offset();
    end_value();
  }
  void append_null() { append_nulls(1); }
  void append_nulls(size_t count);
  // Appends nulls until there are `rows` rows: columns that a row does not have are left behind and
  // padded once, not row by row.
  void pad(size_t rows) {
    if (rows_ < rows) append_nulls(rows - rows_);
  }
  // Empty again; memory is kept.
  void clear();

  // Valid until the next change.
  ColumnView view() const;

 private:
  template <typename T>
  void append_fixed(T value) {
    std::memcpy(values_.extend(sizeof value), &value, sizeof value);
    end_value();
  }
  void append_offset() {
    const auto end = static_cast<uint32_t>(values_.size());
    std::memcpy(offsets_.extend(sizeof end), &end, sizeof end);
  }
  void end_value() {
    if (has_validity_) set_validity(rows_, true);
    ++rows_;
  }
  void set_validity(size_t row, bool is_valid);
  void begin_validity();

  Layout layout_;
  bool has_validity_ = false;  // from the first null on
  size_t rows_ = 0;
  GrowingBytes values_;  // fixed-width values, bits, or the bytes of kBytes
  GrowingBytes offsets_;
  GrowingBytes validity_;
};

}  // namespace tidemark::columns
