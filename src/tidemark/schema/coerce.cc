#include "tidemark/schema/coerce.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tidemark/base/ascii.h"
#include "tidemark/base/base64.h"
#include "tidemark/base/datetime.h"
#include "tidemark/schema/given.h"
#include "tidemark/schema/json_text.h"
#include "tidemark/schema/number_text.h"

namespace tidemark::schema {
namespace {

using json::Kind;
using json::Node;

constexpr int64_t kMicrosPerDay = 86'400 * kMicrosPerSecond;
constexpr double kFiveYears = 5 * 31'536'000.0;

std::optional<int64_t> unix_micros(double seconds) {
  double whole = 0;
  const double micros =
      std::nearbyint(std::modf(seconds, &whole) * static_cast<double>(kMicrosPerSecond));
  if (!(whole >= static_cast<double>(kMinSeconds) && whole < static_cast<double>(kEndSeconds))) {
    return std::nullopt;
  }
  const int64_t result =
      static_cast<int64_t>(whole) * kMicrosPerSecond + static_cast<int64_t>(micros);
  return is_in_range(result) ? std::optional(result) : std::nullopt;
}

std::optional<int64_t> unix_micros(int64_t seconds) {
  if (seconds < kMinSeconds || seconds >= kEndSeconds) {
    return std::nullopt;
  }
  return seconds * kMicrosPerSecond;
}

int32_t floor_to_day(int64_t micros) {
  const int64_t day = micros / kMicrosPerDay - (micros % kMicrosPerDay < 0 ? 1 : 0);
  return static_cast<int32_t>(day);
}

std::optional<int64_t> text_micros(std::string_view text) {
  if (const std::optional<int64_t> micros = datetime_micros(text)) {
    return micros;
  }
  if (const std::optional<int32_t> day = parse_iso_date(text)) {
    return *day * kMicrosPerDay;
  }
  if (parse_iso_time(text) || text.starts_with("0x")) {
    return std::nullopt;
  }
  const std::optional<double> seconds = parse_python_float(text);
  return seconds ? unix_micros(*seconds) : std::nullopt;
}

// Timestamps and what becomes one: also the way to dates.
std::optional<int64_t> to_micros(const Given& given) {
  switch (given.type) {
    case DataType::kTimestamp:
      return datetime_micros(given.text);
    case DataType::kDate:
      return *parse_iso_date(given.text) * kMicrosPerDay;
    case DataType::kBigint:
      return unix_micros(given.node.int64());
    case DataType::kDouble:
      return unix_micros(given.node.number());
    case DataType::kText:
      return given.is_huge_number ? std::nullopt : text_micros(given.text);
    default:
      return std::nullopt;
  }
}

std::optional<int64_t> to_day(const Given& given) {
  const std::optional<int64_t> micros = to_micros(given);
  return micros ? std::optional<int64_t>(floor_to_day(*micros)) : std::nullopt;
}

std::optional<int64_t> to_time(const Given& given) {
  const bool is_readable = given.type == DataType::kTime || given.type == DataType::kText;
  return is_readable ? parse_iso_time(given.text) : std::nullopt;
}

std::string number_text(const Given& given) {
  if (given.node.kind() == Kind::kUint64) {
    return std::to_string(given.node.uint64());
  }
  return format_python_decimal(given.text).value_or(std::string(given.text));
}

std::string to_text(const Given& given) {
  switch (given.type) {
    case DataType::kBool:
      return given.node.kind() == Kind::kTrue ? "True" : "False";
    case DataType::kBigint:
      return std::to_string(given.node.int64());
    case DataType::kDouble:
      return format_python_float(given.node.number());
    case DataType::kDecimal:
    case DataType::kWei:
      return number_text(given);
    case DataType::kJson:
      return to_json_text(given.node);
    case DataType::kTimestamp:
      return format_iso(*parse_iso_datetime(given.text));
    case DataType::kBinary:
      return base64_encode(*text_bytes(given.text));
    case DataType::kText:
    case DataType::kDate:
    case DataType::kTime:
      return std::string(given.text);
  }
  return {};
}

std::optional<Decimal> to_decimal(const Given& given) {
  switch (given.type) {
    case DataType::kBigint:
      return Decimal{given.node.int64(), 0};
    case DataType::kDouble:
      return parse_decimal(format_python_float(given.node.number()));
    case DataType::kWei:
    case DataType::kDecimal:
      return given.node.kind() == Kind::kUint64 ? Decimal{given.node.uint64(), 0}
                                                : parse_decimal(given.text);
    case DataType::kText:
      return given.is_huge_number ? std::nullopt : parse_decimal(given.text);
    default:
      return std::nullopt;
  }
}

std::optional<int64_t> double_to_bigint(double value) {
  // 2^63 is a double, the largest int64 is not.
  constexpr double kEnd = 9'223'372'036'854'775'808.0;
  if (value != std::trunc(value) || value < -kEnd || value >= kEnd) {
    return std::nullopt;
  }
  return static_cast<int64_t>(value);
}

std::optional<int64_t> to_bigint(const Given& given) {
  switch (given.type) {
    case DataType::kBigint:
      return given.node.int64();
    case DataType::kDouble:
      return double_to_bigint(given.node.number());
    case DataType::kWei:
    case DataType::kDecimal: {
      const std::optional<Decimal> value = to_decimal(given);
      return value ? to_int64(*value) : std::nullopt;
    }
    case DataType::kText:
      return given.is_huge_number ? std::nullopt : parse_python_int(given.text);
    default:
      return std::nullopt;
  }
}

std::optional<double> to_double(const Given& given) {
  switch (given.type) {
    case DataType::kDouble:
      return given.node.number();
    case DataType::kBigint:
      return static_cast<double>(given.node.int64());
    case DataType::kWei:
      if (given.node.kind() == Kind::kUint64) {
        return static_cast<double>(given.node.uint64());
      }
      return parse_python_float(given.text);
    case DataType::kDecimal:
    case DataType::kText:
      return parse_python_float(given.text);
    default:
      return std::nullopt;
  }
}

std::optional<bool> text_to_bool(std::string_view text) {
  const std::string lower = ascii_lower(text);
  constexpr std::array<std::string_view, 5> kYes = {"yes", "true", "t", "y", "1"};
  constexpr std::array<std::string_view, 5> kNo = {"no", "false", "f", "n", "0"};
  if (std::find(kYes.begin(), kYes.end(), lower) != kYes.end()) {
    return true;
  }
  return std::find(kNo.begin(), kNo.end(), lower) != kNo.end() ? std::optional(false)
                                                               : std::nullopt;
}

std::optional<bool> to_bool(const Given& given) {
  switch (given.type) {
    case DataType::kBool:
      return given.node.kind() == Kind::kTrue;
    case DataType::kBigint:
      return given.node.int64() != 0;
    case DataType::kDouble:
      return given.node.number() != 0;
    case DataType::kWei:
    case DataType::kDecimal:
      return to_decimal(given)->unscaled != 0;
    case DataType::kText:
      return given.is_huge_number ? std::nullopt : text_to_bool(given.text);
    default:
      return std::nullopt;
  }
}

std::optional<std::string> bigint_bytes(int64_t value) {
  if (value < 0) {
    return std::nullopt;
  }
  std::string bytes;
  for (; value != 0; value >>= 8) {
    bytes += static_cast<char>(value & 0xFF);
  }
  return bytes;
}

std::optional<std::string> to_binary(const Given& given) {
  switch (given.type) {
    case DataType::kBinary:
      return text_bytes(given.text);
    case DataType::kBigint:
      return bigint_bytes(given.node.int64());
    case DataType::kText:
      return given.is_huge_number ? std::nullopt : text_bytes(given.text);
    default:
      return std::nullopt;
  }
}

std::optional<std::string> to_json(const Given& given) {
  if (given.type == DataType::kJson) {
    return to_json_text(given.node);
  }
  const bool is_text = given.type == DataType::kText && !given.is_huge_number;
  return is_text ? parse_json_text(given.text) : std::nullopt;
}

template <typename T>
std::optional<Scalar> scalar(DataType type, std::optional<T> value) {
  if (!value) {
    return std::nullopt;
  }
  return Scalar{type, std::move(*value)};
}

}  // namespace

Detections make_detections(const Schema& schema, Time now) {
  Detections detections;
  detections.iso_timestamp = schema.has_detection("iso_timestamp");
  detections.iso_date = schema.has_detection("iso_date");
  detections.wei_to_double = schema.has_detection("wei_to_double");
  if (schema.has_detection("timestamp")) {
    detections.timestamp_around =
        static_cast<double>(now.time_since_epoch().count()) / static_cast<double>(kMicrosPerSecond);
  }
  return detections;
}

DataType infer_type(Node value, const Detections& detections) {
  const Given given = classify(value);
  if (value.is_string() && given.type == DataType::kText) {
    if (detections.iso_timestamp && datetime_micros(given.text)) {
      return DataType::kTimestamp;
    }
    return detections.iso_date && parse_iso_date(given.text) ? DataType::kDate : DataType::kText;
  }
  if (given.type == DataType::kWei && detections.wei_to_double) {
    return DataType::kDouble;
  }
  const bool is_number = given.type == DataType::kBigint || given.type == DataType::kDouble;
  if (is_number && detections.timestamp_around &&
      std::abs(*to_double(given) - *detections.timestamp_around) <= kFiveYears) {
    return DataType::kTimestamp;
  }
  return given.type;
}

DataType own_type(Node value) { return classify(value).type; }

std::optional<Scalar> coerce(Node value, DataType to) {
  const Given given = classify(value);
  switch (to) {
    case DataType::kText:
      return Scalar{to, to_text(given)};
    case DataType::kDouble:
      return scalar(to, to_double(given));
    case DataType::kBool:
      return scalar(to, to_bool(given));
    case DataType::kTimestamp:
      return scalar(to, to_micros(given));
    case DataType::kBigint:
      return scalar(to, to_bigint(given));
    case DataType::kBinary:
      return scalar(to, to_binary(given));
    case DataType::kJson:
      return scalar(to, to_json(given));
    case DataType::kDecimal:
    case DataType::kWei:
      return scalar(to, to_decimal(given));
    case DataType::kDate:
      return scalar(to, to_day(given));
    case DataType::kTime:
      return scalar(to, to_time(given));
  }
  return std::nullopt;
}

bool is_rounded_by_double(Node value) {
  std::optional<Int128> digits;
  switch (value.kind()) {
    case Kind::kInt64:
      digits = value.int64();
      break;
    case Kind::kUint64:
      digits = value.uint64();
      break;
    case Kind::kBigNumber:
      if (const std::optional<Decimal> decimal = parse_decimal(value.string())) {
        digits = decimal->unscaled;
      }
      break;
    default:
      return false;
  }
  // The greatest of 38 digits is far below 2^127, so the way back cannot overflow.
  return !digits || static_cast<Int128>(static_cast<double>(*digits)) != *digits;
}

}  // namespace tidemark::schema
