#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "tidemark/json/node.h"
#include "tidemark/schema/data_type.h"

namespace tidemark::schema {

// 128-bit integer of a decimal or wei: value = unscaled / 10^scale.
__extension__ using Int128 = __int128;

struct Decimal {
  Int128 unscaled = 0;
  int scale = 0;
  bool operator==(const Decimal&) const = default;
};

// A value of one data type: text, binary and json as bytes; bigint as int64; double; bool; timestamp as
// microseconds UTC, time as microseconds since midnight, date as days since the epoch (all int64); decimal
// and wei as Decimal.
struct Scalar {
  DataType type = DataType::kText;
  std::variant<std::monostate, std::string, int64_t, double, bool, Decimal> value;
  bool operator==(const Scalar&) const = default;
};

// The type dlt gives a value that comes into an unknown column, without preferred types: strings go
// through the detections (only iso_timestamp is on by default), integers beyond 64 bits become wei, beyond
// 38 digits or a double's range text. Never called for null.
struct Detections {
  bool iso_timestamp = true;
  bool iso_date = false;
  bool timestamp = false;
  bool large_integer = false;
};
DataType infer_type(json::Node value, const Detections& detections);

// The value's own type, which names a variant column: `<column>__v_<type>`.
DataType own_type(json::Node value);

// The value as that type by dlt's rules (spec: dlt.md 5.7, golden vectors "types"); nothing when it must go
// to a variant column. Strings with a typed marker (json/typed.h) count as the type they name.
std::optional<Scalar> coerce(json::Node value, DataType to);

}  // namespace tidemark::schema
