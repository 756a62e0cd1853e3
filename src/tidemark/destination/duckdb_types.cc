#include "tidemark/destination/duckdb_types.h"

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/schema/decimal.h"

namespace tidemark::destination {
namespace {

using schema::ColumnView;
using schema::DataType;

[[noreturn]] void throw_precision(const ColumnView& column, int precision) {
  throw Error(ErrorCode::kUnsupported,
              fmt::format("column {}: DuckDB has no {} of precision {}", column.name(),
                          to_string(*column.data_type()), precision));
}

std::string integer_type(const ColumnView& column) {
  const int bits = column.precision().value_or(64);
  if (bits <= 8) return "TINYINT";
  if (bits <= 16) return "SMALLINT";
  if (bits <= 32) return "INTEGER";
  if (bits <= 64) return "BIGINT";
  if (bits <= 128) return "HUGEINT";
  throw_precision(column, bits);
}

std::string timestamp_type(const ColumnView& column) {
  if (column.has_timezone()) return "TIMESTAMP WITH TIME ZONE";
  const int digits = column.precision().value_or(6);
  if (digits <= 0) return "TIMESTAMP_S";
  if (digits <= 3) return "TIMESTAMP_MS";
  if (digits <= 6) return "TIMESTAMP";
  if (digits <= 9) return "TIMESTAMP_NS";
  throw_precision(column, digits);
}

}  // namespace

std::string duckdb_type(const ColumnView& column) {
  switch (*column.data_type()) {
    case DataType::kText:
      return "VARCHAR";
    case DataType::kDouble:
      return "DOUBLE";
    case DataType::kBool:
      return "BOOLEAN";
    case DataType::kTimestamp:
      return timestamp_type(column);
    case DataType::kBigint:
      return integer_type(column);
    case DataType::kBinary:
      return "BLOB";
    case DataType::kJson:
      return "JSON";
    case DataType::kDecimal:
      return fmt::format("DECIMAL({},{})", column.precision().value_or(schema::kMaxDecimalDigits),
                         column.scale().value_or(schema::kDecimalScale));
    case DataType::kWei:
      return "DECIMAL(38,0)";
    case DataType::kDate:
      return "DATE";
    case DataType::kTime:
      return "TIME";
  }
  throw Error(ErrorCode::kInternal, "unknown data type");
}

db::BatchColumn batch_column(const ColumnView& column) {
  const auto as = [&](db::BatchType type, int scale = 0) {
    return db::BatchColumn{std::string(column.name()), type, scale};
  };
  switch (*column.data_type()) {
    case DataType::kText:
      return as(db::BatchType::kVarchar);
    case DataType::kDouble:
      return as(db::BatchType::kDouble);
    case DataType::kBool:
      return as(db::BatchType::kBoolean);
    case DataType::kTimestamp:
      return as(column.has_timezone() ? db::BatchType::kTimestampTz : db::BatchType::kTimestamp);
    case DataType::kBigint:
      return as(db::BatchType::kBigint);
    case DataType::kBinary:
      return as(db::BatchType::kBlob);
    case DataType::kJson:
      return as(db::BatchType::kJson);
    case DataType::kDecimal:
      return as(db::BatchType::kDecimal, column.scale().value_or(schema::kDecimalScale));
    case DataType::kWei:
      return as(db::BatchType::kDecimal);
    case DataType::kDate:
      return as(db::BatchType::kDate);
    case DataType::kTime:
      return as(db::BatchType::kTime);
  }
  throw Error(ErrorCode::kInternal, "unknown data type");
}

}  // namespace tidemark::destination
