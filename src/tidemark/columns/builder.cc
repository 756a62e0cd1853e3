#include "tidemark/columns/builder.h"

#include <algorithm>

namespace tidemark::columns {

namespace {

constexpr size_t kFirstCapacity = 256;

void set_bit(GrowingBytes& bits, size_t row, bool value) {
  if (row / 8 >= bits.size()) *bits.extend(1) = 0;
  const auto mask = static_cast<uint8_t>(1U << (row % 8));
  uint8_t& byte = bits.data()[row / 8];
  byte = static_cast<uint8_t>(value ? byte | mask : byte & ~mask);
}

}  // namespace

void GrowingBytes::grow(size_t count) {
  const size_t capacity = std::max({capacity_ * 2, size_ + count, kFirstCapacity});
  std::unique_ptr<uint8_t[]> data(new uint8_t[capacity]);
  if (size_ > 0) std::memcpy(data.get(), data_.get(), size_);
  data_ = std::move(data);
  capacity_ = capacity;
}

ColumnBuilder::ColumnBuilder(Layout layout) : layout_(layout) { clear(); }

void ColumnBuilder::append_bool(bool value) {
  set_bit(values_, rows_, value);
  end_value();
}

void ColumnBuilder::append_nulls(size_t count) {
  if (!has_validity_) begin_validity();
  for (size_t i = 0; i < count; ++i) set_validity(rows_ + i, false);
  if (layout_ == Layout::kBool) {
    for (size_t i = 0; i < count; ++i) set_bit(values_, rows_ + i, false);
  } else if (layout_ == Layout::kBytes) {
    for (size_t i = 0; i < count; ++i) append_offset();
  } else {
    const size_t bytes = count * value_width(layout_);
    std::memset(values_.extend(bytes), 0, bytes);
  }
  rows_ += count;
}

void ColumnBuilder::clear() {
  rows_ = 0;
  has_validity_ = false;
  values_.resize_down(0);
  validity_.resize_down(0);
  offsets_.resize_down(0);
  if (layout_ == Layout::kBytes) append_offset();
}

ColumnView ColumnBuilder::view() const {
  ColumnView view;
  view.layout = layout_;
  view.rows = rows_;
  view.validity = has_validity_ ? validity_.data() : nullptr;
  if (layout_ == Layout::kBytes) {
    view.offsets = reinterpret_cast<const uint32_t*>(offsets_.data());
    view.bytes = reinterpret_cast<const char*>(values_.data());
  } else {
    view.values = values_.data();
  }
  return view;
}

void ColumnBuilder::set_validity(size_t row, bool is_valid) { set_bit(validity_, row, is_valid); }

void ColumnBuilder::begin_validity() {
  const size_t bytes = (rows_ + 7) / 8;
  if (bytes > 0) std::memset(validity_.extend(bytes), 0xFF, bytes);
  has_validity_ = true;
}

}  // namespace tidemark::columns
