#include "tidemark/source/cursor_value.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

#include "tidemark/base/datetime.h"
#include "tidemark/json/typed.h"

namespace tidemark::source {
namespace {

using Kind = CursorView::Kind;

// 0.<digits> times ten to the point; digits start and end with something else than 0, empty for
// zero.
struct Decimal {
  bool is_negative = false;
  std::string digits;
  int64_t point = 0;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The exponent behind `e` or `E`; nothing for text that is no integer within nine digits.
std::optional<int64_t> parse_exponent(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
  }
  int64_t exponent = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc() || end != text.data() + text.size() ||
      std::abs(exponent) > 999'999'999) {
    return std::nullopt;
  }
  return exponent;
}

// What a JSON number or Python's str(Decimal) says; nothing for NaN, infinities and other text.
std::optional<Decimal> parse_decimal(std::string_view text) {
  Decimal decimal;
  if (text.starts_with('-') || text.starts_with('+')) {
    decimal.is_negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (size_t mark = text.find_first_of("eE"); mark != text.npos) {
    auto exponent = parse_exponent(text.substr(mark + 1));
    if (!exponent) {
      return std::nullopt;
    }
    decimal.point = *exponent;
    text = text.substr(0, mark);
  }
  bool has_digits = false;
  bool is_fraction = false;
  for (char c : text) {
    if (c == '.' && !is_fraction) {
      is_fraction = true;
      continue;
    }
    if (!is_digit(c)) {
      return std::nullopt;
    }
    has_digits = true;
    const bool is_leading_zero = c == '0' && decimal.digits.empty();
    decimal.point += (is_fraction ? 0 : 1) - (is_leading_zero ? 1 : 0);
    if (!is_leading_zero) {
      decimal.digits += c;
    }
  }
  decimal.digits.erase(decimal.digits.find_last_not_of('0') + 1);
  return has_digits ? std::optional(std::move(decimal)) : std::nullopt;
}

std::string_view without_marker(std::string_view text) {
  auto typed = json::typed(text);
  return typed ? typed->second : text;
}

std::optional<Decimal> to_decimal(const CursorView& value) {
  switch (value.kind) {
    case Kind::kInteger:
      return parse_decimal(std::to_string(value.integer));
    case Kind::kUnsigned:
      return parse_decimal(std::to_string(static_cast<uint64_t>(value.integer)));
    case Kind::kDouble: {
      // 767 digits show any double exactly.
      std::array<char, 800> text;
      int size = std::snprintf(text.data(), text.size(), "%.766e", value.real);
      return parse_decimal({text.data(), static_cast<size_t>(size)});
    }
    default:
      return parse_decimal(without_marker(value.text));
  }
}

std::partial_ordering compare_decimals(const CursorView& left, const CursorView& right) {
  auto a = to_decimal(left);
  auto b = to_decimal(right);
  if (!a || !b) {
    return std::partial_ordering::unordered;
  }
  auto sign = [](const Decimal& x) { return x.digits.empty() ? 0 : x.is_negative ? -1 : 1; };
  if (sign(*a) != sign(*b)) {
    return sign(*a) <=> sign(*b);
  }
  if (sign(*a) == 0) {
    return std::partial_ordering::equivalent;
  }
  auto magnitude = a->point != b->point ? a->point <=> b->point : a->digits <=> b->digits;
  return sign(*a) > 0 ? magnitude : 0 <=> magnitude;
}

std::partial_ordering compare_exactly(int64_t integer, double real) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (real >= kLimit) {
    return std::partial_ordering::less;
  }
  if (real < -kLimit) {
    return std::partial_ordering::greater;
  }
  const auto whole = static_cast<int64_t>(real);
  if (integer != whole) {
    return integer <=> whole;
  }
  return 0.0 <=> real - static_cast<double>(whole);
}

bool is_number(Kind kind) {
  return kind == Kind::kInteger || kind == Kind::kUnsigned || kind == Kind::kDouble ||
         kind == Kind::kDigits;
}

std::partial_ordering compare_numbers(const CursorView& left, const CursorView& right) {
  if (left.kind == right.kind && left.kind != Kind::kDigits) {
    switch (left.kind) {
      case Kind::kInteger:
        return left.integer <=> right.integer;
      case Kind::kUnsigned:
        return static_cast<uint64_t>(left.integer) <=> static_cast<uint64_t>(right.integer);
      default:
        return left.real <=> right.real;
    }
  }
  if (left.kind == Kind::kInteger && right.kind == Kind::kDouble) {
    return compare_exactly(left.integer, right.real);
  }
  if (left.kind == Kind::kDouble && right.kind == Kind::kInteger) {
    return 0 <=> compare_exactly(right.integer, left.real);
  }
  return compare_decimals(left, right);
}

CursorView number_view(const json::Number& number) {
  const std::string& text = number.text();
  if (auto integer = number.to_int64()) {
    return {.kind = Kind::kInteger, .integer = *integer};
  }
  if (number.is_integer()) {
    uint64_t bits = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits);
    if (error == std::errc() && end == text.data() + text.size()) {
      return {.kind = Kind::kUnsigned, .integer = static_cast<int64_t>(bits)};
    }
    return {.kind = Kind::kDigits, .text = text};
  }
  const double real = number.to_double();
  return std::isfinite(real) ? CursorView{.kind = Kind::kDouble, .real = real}
                             : CursorView{.kind = Kind::kDigits, .text = text};
}

template <typename Integer>
CursorView moment(Kind kind, const std::optional<Integer>& integer, std::string_view text) {
  return integer ? CursorView{.kind = kind, .integer = *integer, .text = text}
                 : CursorView{.kind = Kind::kText, .text = text};
}

CursorView text_view(std::string_view text) {
  auto typed = json::typed(text);
  if (!typed) {
    return {.kind = Kind::kText, .text = text};
  }
  switch (typed->first) {
    case json::TypedKind::kDecimal:
    case json::TypedKind::kWei:
      return {.kind = Kind::kDigits, .text = text};
    case json::TypedKind::kDatetime: {
      auto datetime = parse_iso_datetime(typed->second);
      return moment(Kind::kDatetime,
                    datetime ? std::optional(datetime->utc_micros()) : std::nullopt, text);
    }
    case json::TypedKind::kDate:
      return moment(Kind::kDate, parse_iso_date(typed->second), text);
    case json::TypedKind::kTime:
      return moment(Kind::kTime, parse_iso_time(typed->second), text);
    case json::TypedKind::kUuid:
      return {.kind = Kind::kText, .text = text};
    case json::TypedKind::kHexBytes:
    case json::TypedKind::kBytes:
      return {};
  }
  return {};
}

}  // namespace

CursorView cursor_view(json::Node node) {
  switch (node.kind()) {
    case json::Kind::kInt64:
      return {.kind = Kind::kInteger, .integer = node.int64()};
    case json::Kind::kUint64:
      return {.kind = Kind::kUnsigned, .integer = static_cast<int64_t>(node.uint64())};
    case json::Kind::kDouble:
      return {.kind = Kind::kDouble, .real = node.number()};
    case json::Kind::kBigNumber:
      return {.kind = Kind::kDigits, .text = node.string()};
    case json::Kind::kString:
      return text_view(node.string());
    default:
      return {};
  }
}

CursorView cursor_view(const json::Value& value) {
  if (value.is_number()) {
    return number_view(value.as_number());
  }
  return value.is_string() ? text_view(value.as_string()) : CursorView{};
}

std::partial_ordering compare(const CursorView& left, const CursorView& right) {
  if (is_number(left.kind) && is_number(right.kind)) {
    return compare_numbers(left, right);
  }
  if (left.kind != right.kind || left.kind == Kind::kNone) {
    return std::partial_ordering::unordered;
  }
  return left.kind == Kind::kText ? std::partial_ordering(left.text <=> right.text)
                                  : left.integer <=> right.integer;
}

void CursorValue::assign(const CursorView& view) {
  value_ = view;
  value_.text = {};
  text_.assign(view.text);
}

CursorView CursorValue::view() const {
  CursorView view = value_;
  view.text = text_;
  return view;
}

json::Value CursorValue::to_json() const {
  switch (value_.kind) {
    case Kind::kNone:
      return nullptr;
    case Kind::kInteger:
      return value_.integer;
    case Kind::kUnsigned:
      return static_cast<uint64_t>(value_.integer);
    case Kind::kDouble:
      return value_.real;
    case Kind::kDigits:
      return json::typed(text_) ? json::Value(text_) : json::Value(json::Number::from_text(text_));
    default:
      return text_;
  }
}

}  // namespace tidemark::source
