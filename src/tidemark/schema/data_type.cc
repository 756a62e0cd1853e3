#include "tidemark/schema/data_type.h"

#include <array>
#include <cstddef>

namespace tidemark::schema {
namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, 11> kNames = {
    "text", "double",  "bool", "timestamp", "bigint", "binary",
    "json", "decimal", "wei",  "date",      "time",
};

}  // namespace

std::string_view to_string(DataType type) { return kNames[static_cast<size_t>(type)]; }

std::optional<DataType> data_type_from(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) {
      return static_cast<DataType>(i);
    }
  }
  return std::nullopt;
}

}  // namespace tidemark::schema
