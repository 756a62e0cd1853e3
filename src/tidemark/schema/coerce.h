#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "tidemark/base/clock.h"
#include "tidemark/json/node.h"
#include "tidemark/schema/data_type.h"
#include "tidemark/schema/decimal.h"
#include "tidemark/schema/schema.h"

namespace tidemark::schema {

// A value of one data type: text, binary and json as bytes; bigint as int64; double; bool;
// timestamp as microseconds UTC, time as microseconds since midnight, date as days since the epoch
// (all int64); decimal and wei as Decimal.
struct Scalar {
  DataType type = DataType::kText;
  std::variant<std::monostate, std::string, int64_t, double, bool, Decimal> value;
  bool operator==(const Scalar&) const = default;
};

// Which of a schema's detections are on (dlt 1.31).
struct Detections {
  bool iso_timestamp = true;
  bool iso_date = false;
  bool wei_to_double = false;
  // Numbers within five years of that many unix seconds are timestamps.
  std::optional<double> timestamp_around;
};
Detections make_detections(const Schema& schema, Time now);

// The type of a column that this value is the first one of, without preferred types: what dlt
// infers, except that an integer beyond 64 bits is wei and a number beyond 38 digits or a double is
// text, where dlt fails at load. Never called for null. coerce() to this type always succeeds.
DataType infer_type(json::Node value, const Detections& detections);

// The value's own type, which names a variant column: `<column>__v_<type>`. As infer_type() without
// any detection: a date-time in a plain string is text. The variant's data type is that of
// infer_type().
DataType own_type(json::Node value);

// The value as that type by dlt 1.31's rules (tests/golden/dlt/types.json); nothing when it
// must go to a variant column: also when dlt would pass it and the column could not hold it (beyond
// 64 bits or 38 digits, NaN as a decimal). Strings with a typed marker (json/typed.h) count as the
// type they name.
std::optional<Scalar> coerce(json::Node value, DataType to);

// Whether a double would not hold all digits of the number, an integer: coerce() rounds it, as dlt
// does.
bool is_rounded_by_double(json::Node value);

}  // namespace tidemark::schema
