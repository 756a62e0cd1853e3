#include "tidemark/schema/given.h"

#include <utility>

#include "tidemark/base/base64.h"
#include "tidemark/base/datetime.h"
#include "tidemark/json/typed.h"
#include "tidemark/schema/decimal.h"
#include "tidemark/schema/number_text.h"

namespace tidemark::schema {
namespace {

using json::Kind;
using json::Node;
using json::TypedKind;

std::optional<std::string> hex_bytes(std::string_view digits) {
  const auto value_of = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    const int high = value_of(digits[i]);
    const int low = value_of(digits[i + 1]);
    if (high < 0 || low < 0) {
      return std::nullopt;
    }
    bytes += static_cast<char>(high << 4 | low);
  }
  return digits.size() % 2 == 0 ? std::optional(std::move(bytes)) : std::nullopt;
}

Given number_in_text(std::string_view text, DataType type, Node node) {
  if (parse_decimal(text)) {
    return {type, text, node};
  }
  return {DataType::kText, text, node, true};
}

Given classify_typed(TypedKind kind, std::string_view text, Node node) {
  const Given plain = {DataType::kText, node.string(), node};
  const auto checked = [&](DataType type, bool is_valid) {
    return is_valid ? Given{type, text, node} : plain;
  };
  switch (kind) {
    case TypedKind::kDecimal:
    case TypedKind::kWei: {
      const bool is_number = format_python_decimal(text) || parse_python_float(text);
      return is_number
                 ? number_in_text(
                       text, kind == TypedKind::kWei ? DataType::kWei : DataType::kDecimal, node)
                 : plain;
    }
    case TypedKind::kDatetime:
      return checked(DataType::kTimestamp, datetime_micros(text).has_value());
    case TypedKind::kDate:
      return checked(DataType::kDate, parse_iso_date(text).has_value());
    case TypedKind::kTime:
      return checked(DataType::kTime, parse_iso_time(text).has_value());
    case TypedKind::kHexBytes:
    case TypedKind::kBytes:
      return checked(DataType::kBinary, text_bytes(text).has_value());
    case TypedKind::kUuid:
      return {DataType::kText, text, node};
  }
  return plain;
}

bool is_integer_text(std::string_view text) {
  return text.find_first_of(".eE") == std::string_view::npos;
}

}  // namespace

Given classify(Node value) {
  switch (value.kind()) {
    case Kind::kTrue:
    case Kind::kFalse:
      return {DataType::kBool, {}, value};
    case Kind::kInt64:
      return {DataType::kBigint, {}, value};
    case Kind::kUint64:
      return {DataType::kWei, {}, value};
    case Kind::kDouble:
      return {DataType::kDouble, {}, value};
    case Kind::kBigNumber:
      return is_integer_text(value.string()) ? number_in_text(value.string(), DataType::kWei, value)
                                             : Given{DataType::kText, value.string(), value, true};
    case Kind::kArray:
    case Kind::kObject:
      return {DataType::kJson, {}, value};
    case Kind::kString:
      if (const auto marked = json::typed(value.string())) {
        return classify_typed(marked->first, marked->second, value);
      }
      break;
    case Kind::kNull:
      break;
  }
  return {DataType::kText, value.is_string() ? value.string() : std::string_view(), value};
}

std::optional<int64_t> datetime_micros(std::string_view text) {
  const std::optional<DateTime> value = parse_iso_datetime(text);
  if (!value || !is_in_range(value->utc_micros())) {
    return std::nullopt;
  }
  return value->utc_micros();
}

std::optional<std::string> text_bytes(std::string_view text) {
  return text.starts_with("0x") ? hex_bytes(text.substr(2)) : base64_decode(text);
}

}  // namespace tidemark::schema
