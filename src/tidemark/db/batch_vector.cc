#include "tidemark/db/batch_vector.h"

#include <cstring>
#include <numeric>

namespace tidemark::db {
namespace {

constexpr uint8_t kDecimalDigits = 38;

duckdb_type duckdb_type_of(BatchType type) {
  switch (type) {
    case BatchType::kBoolean:
      return DUCKDB_TYPE_BOOLEAN;
    case BatchType::kDate:
      return DUCKDB_TYPE_DATE;
    case BatchType::kTime:
      return DUCKDB_TYPE_TIME;
    case BatchType::kTimestamp:
      return DUCKDB_TYPE_TIMESTAMP;
    case BatchType::kTimestampTz:
      return DUCKDB_TYPE_TIMESTAMP_TZ;
    case BatchType::kBigint:
      return DUCKDB_TYPE_BIGINT;
    case BatchType::kDouble:
      return DUCKDB_TYPE_DOUBLE;
    case BatchType::kDecimal:
      return DUCKDB_TYPE_DECIMAL;
    case BatchType::kVarchar:
    case BatchType::kJson:
      return DUCKDB_TYPE_VARCHAR;
    case BatchType::kBlob:
      return DUCKDB_TYPE_BLOB;
  }
  return DUCKDB_TYPE_INVALID;
}

// Whether all of these rows have a value. Bits behind the last row count as well.
bool all_valid(const uint8_t* bits, size_t rows) {
  const size_t bytes = (rows + 7) / 8;
  for (size_t i = 0; i < bytes; ++i) {
    if (bits[i] != 0xFF) return false;
  }
  return true;
}

uint64_t* writable_validity(const DuckDbApi& api, duckdb_vector vector) {
  api.vector_ensure_validity_writable(vector);
  return api.vector_get_validity(vector);
}

void write_bools(uint8_t* out, const columns::ColumnView& view, size_t from, size_t rows) {
  for (size_t i = 0; i < rows; ++i) out[i] = view.boolean(from + i) ? 1 : 0;
}

void write_bytes(const DuckDbApi& api, duckdb_vector vector, const columns::ColumnView& view,
                 size_t from, size_t rows) {
  auto* out = static_cast<duckdb_string_t*>(api.vector_get_data(vector));
  for (size_t i = 0; i < rows; ++i) {
    const std::string_view text = view.text(from + i);
    auto& inlined = out[i].value.inlined;
    if (text.size() > sizeof inlined.inlined) {
      api.unsafe_vector_assign_string_element_len(vector, i, text.data(), text.size());
      continue;
    }
    // A short string lies in the vector itself, with zeros behind it.
    inlined.length = static_cast<uint32_t>(text.size());
    std::memset(inlined.inlined, 0, sizeof inlined.inlined);
    std::memcpy(inlined.inlined, text.data(), text.size());
  }
}

}  // namespace

columns::Layout layout_of(BatchType type) {
  switch (type) {
    case BatchType::kBoolean:
      return columns::Layout::kBool;
    case BatchType::kDate:
      return columns::Layout::kInt32;
    case BatchType::kTime:
    case BatchType::kTimestamp:
    case BatchType::kTimestampTz:
    case BatchType::kBigint:
      return columns::Layout::kInt64;
    case BatchType::kDouble:
      return columns::Layout::kDouble;
    case BatchType::kDecimal:
      return columns::Layout::kInt128;
    case BatchType::kVarchar:
    case BatchType::kJson:
    case BatchType::kBlob:
      return columns::Layout::kBytes;
  }
  return columns::Layout::kBytes;
}

duckdb_logical_type make_logical_type(const DuckDbApi& api, const BatchColumn& column) {
  if (column.type == BatchType::kDecimal) {
    return api.create_decimal_type(kDecimalDigits, static_cast<uint8_t>(column.scale));
  }
  duckdb_logical_type type = api.create_logical_type(duckdb_type_of(column.type));
  // The type's name alone makes it JSON: as VARCHAR every value would be parsed again on its way
  // into a JSON column.
  if (column.type == BatchType::kJson) api.logical_type_set_alias(type, "JSON");
  return type;
}

void write_vector(const DuckDbApi& api, duckdb_vector vector, const columns::ColumnView& view,
                  size_t from, size_t rows) {
  if (view.validity != nullptr && !all_valid(view.validity + from / 8, rows)) {
    std::memcpy(writable_validity(api, vector), view.validity + from / 8, (rows + 7) / 8);
  }
  switch (view.layout) {
    case columns::Layout::kBool:
      write_bools(static_cast<uint8_t*>(api.vector_get_data(vector)), view, from, rows);
      return;
    case columns::Layout::kBytes:
      write_bytes(api, vector, view, from, rows);
      return;
    default: {
      const size_t width = columns::value_width(view.layout);
      std::memcpy(api.vector_get_data(vector), view.values + from * width, rows * width);
    }
  }
}

void write_nulls(const DuckDbApi& api, duckdb_vector vector, size_t rows) {
  std::memset(writable_validity(api, vector), 0, (rows + 7) / 8);
}

void write_row_numbers(const DuckDbApi& api, duckdb_vector vector, uint64_t first, size_t rows) {
  auto* out = static_cast<int64_t*>(api.vector_get_data(vector));
  std::iota(out, out + rows, static_cast<int64_t>(first));
}

}  // namespace tidemark::db
