#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tidemark::schema {

// dlt's data types (spec: dlt.md 5.6).
enum class DataType : uint8_t {
  kText,
  kDouble,
  kBool,
  kTimestamp,
  kBigint,
  kBinary,
  kJson,
  kDecimal,
  kWei,
  kDate,
  kTime,
};

// The name in a stored schema: "text", "bigint", ...
std::string_view to_string(DataType type);
std::optional<DataType> data_type_from(std::string_view name);

}  // namespace tidemark::schema
