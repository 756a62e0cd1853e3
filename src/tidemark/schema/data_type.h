#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tidemark::schema {

// The data types of dlt 1.31.
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
