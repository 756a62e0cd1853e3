#include "tidemark/source/lag.h"

#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "tidemark/base/datetime.h"
#include "tidemark/base/error.h"
#include "tidemark/json/typed.h"
#include "tidemark/json/write.h"
#include "tidemark/source/cursor_value.h"

namespace tidemark::source {
namespace {

constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr int64_t kMicrosPerDay = 86'400 * kMicrosPerSecond;

enum class Shape { kDate, kDatetime };

// A text in one of the layouts whose cursors may have a lag, taken apart. The layout is written as
// in strftime, with %f for a fraction, %z for +0000 and %:z for +00:00.
struct Moment {
  std::string_view layout;
  std::chrono::year_month_day day{std::chrono::year(1970), std::chrono::January,
                                  std::chrono::day(1)};
  int64_t time_micros = 0;
  std::optional<int> offset_minutes = std::nullopt;
  size_t fraction_digits = 0;

  Shape shape() const {
    return layout == "%Y-%m-%d" || layout == "%Y%m%d" ? Shape::kDate : Shape::kDatetime;
  }
  int64_t wall_micros() const {
    return std::chrono::sys_days(day).time_since_epoch().count() * kMicrosPerDay + time_micros;
  }
};

// dlt's table of formats (dlt/common/time.py, 1.31) less weeks and ordinal days, and with a blank
// for T.
constexpr std::string_view kLayouts[] = {
    "%Y-%m-%dT%H:%M:%SZ",
    "%Y-%m-%dT%H:%M:%S.%fZ",
    "%Y-%m-%dT%H:%M:%S%:z",
    "%Y-%m-%dT%H:%M:%S%z",
    "%Y-%m-%dT%H:%M:%S.%f%:z",
    "%Y-%m-%dT%H:%M:%S.%f%z",
    "%Y-%m-%dT%H:%M:%S.%f",
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%dT%H:%M",
    "%Y-%m-%dT%H",
    "%Y-%m-%d",
    "%Y%m%d",
    "%Y-%m",
    "%Y",
    "%Y%m",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%d %H:%M:%S.%f",
};

// Takes exactly `count` digits off the front.
std::optional<int> take_digits(std::string_view& text, size_t count) {
  if (text.size() < count) {
    return std::nullopt;
  }
  int value = 0;
  for (char c : text.substr(0, count)) {
    if (c < '0' || c > '9') {
      return std::nullopt;
    }
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) {
    return false;
  }
  text.remove_prefix(prefix.size());
  return true;
}

bool take_fraction(std::string_view& text, Moment& moment) {
  size_t size = std::min(text.find_first_not_of("0123456789"), text.size());
  int64_t unit = kMicrosPerSecond;
  for (char c : text.substr(0, std::min<size_t>(size, 6))) {
    unit /= 10;
    moment.time_micros += (c - '0') * unit;
  }
  moment.fraction_digits = size;
  text.remove_prefix(size);
  return size > 0;
}

bool take_offset(std::string_view& text, bool with_colon, Moment& moment) {
  const bool is_negative = text.starts_with('-');
  if (!take(text, "+") && !take(text, "-")) {
    return false;
  }
  auto hours = take_digits(text, 2);
  if (with_colon && !take(text, ":")) {
    return false;
  }
  auto minutes = take_digits(text, 2);
  if (!hours || !minutes) {
    return false;
  }
  moment.offset_minutes = (*hours * 60 + *minutes) * (is_negative ? -1 : 1);
  return true;
}

bool take_clock(std::string_view& text, int64_t unit_seconds, int limit, Moment& moment) {
  auto value = take_digits(text, 2);
  if (!value || *value >= limit) {
    return false;
  }
  moment.time_micros += *value * unit_seconds * kMicrosPerSecond;
  return true;
}

bool take_field(std::string_view& text, char field, Moment& moment) {
  using namespace std::chrono;
  std::optional<int> value;
  switch (field) {
    case 'Y':
      value = take_digits(text, 4);
      moment.day = year(value.value_or(0)) / moment.day.month() / moment.day.day();
      return value.has_value();
    case 'm':
      value = take_digits(text, 2);
      moment.day = moment.day.year() / month(unsigned(value.value_or(0))) / moment.day.day();
      return value.has_value();
    case 'd':
      value = take_digits(text, 2);
      moment.day = moment.day.year() / moment.day.month() / day(unsigned(value.value_or(0)));
      return value.has_value();
    case 'H':
      return take_clock(text, 3600, 24, moment);
    case 'M':
      return take_clock(text, 60, 60, moment);
    case 'S':
      return take_clock(text, 1, 60, moment);
    case 'f':
      return take_fraction(text, moment);
    case ':':
      return take_offset(text, true, moment);
    default:
      return take_offset(text, false, moment);
  }
}

std::optional<Moment> parse_as(std::string_view text, std::string_view layout) {
  Moment moment{.layout = layout};
  for (size_t at = 0; at < layout.size(); ++at) {
    if (layout[at] != '%') {
      if (!take(text, layout.substr(at, 1))) {
        return std::nullopt;
      }
      continue;
    }
    ++at;
    if (!take_field(text, layout[at], moment)) {
      return std::nullopt;
    }
    if (layout[at] == ':') {
      ++at;  // the z behind it
    }
  }
  return text.empty() && moment.day.ok() ? std::optional(moment) : std::nullopt;
}

std::optional<Moment> parse_moment(std::string_view text) {
  for (std::string_view layout : kLayouts) {
    if (auto moment = parse_as(text, layout)) {
      return moment;
    }
  }
  return std::nullopt;
}

// As many digits as there were, more only where they would lose something.
std::string fraction_text(int64_t micros, size_t digits) {
  std::string text = fmt::format("{:06}", micros);
  while (text.size() > digits && text.back() == '0') {
    text.pop_back();
  }
  text.resize(std::max(text.size(), digits), '0');
  return text;
}

std::string offset_text(int minutes, std::string_view colon) {
  return fmt::format("{}{:02}{}{:02}", minutes < 0 ? '-' : '+', std::abs(minutes) / 60, colon,
                     std::abs(minutes) % 60);
}

std::string format_as(const Moment& shape, int64_t wall_micros) {
  const int64_t days =
      std::chrono::floor<std::chrono::days>(std::chrono::microseconds(wall_micros)).count();
  const std::chrono::year_month_day day{
      std::chrono::sys_days(std::chrono::days(static_cast<int>(days)))};
  const int64_t micros = wall_micros - days * kMicrosPerDay;
  const int64_t seconds = micros / kMicrosPerSecond;
  std::string out;
  for (size_t at = 0; at < shape.layout.size(); ++at) {
    if (shape.layout[at] != '%') {
      out += shape.layout[at];
      continue;
    }
    switch (shape.layout[++at]) {
      case 'Y':
        out += fmt::format("{:04}", int{day.year()});
        break;
      case 'm':
        out += fmt::format("{:02}", unsigned{day.month()});
        break;
      case 'd':
        out += fmt::format("{:02}", unsigned{day.day()});
        break;
      case 'H':
        out += fmt::format("{:02}", seconds / 3600);
        break;
      case 'M':
        out += fmt::format("{:02}", seconds / 60 % 60);
        break;
      case 'S':
        out += fmt::format("{:02}", seconds % 60);
        break;
      case 'f':
        out += fraction_text(micros % kMicrosPerSecond, shape.fraction_digits);
        break;
      case ':':
        ++at;
        out += offset_text(shape.offset_minutes.value_or(0), ":");
        break;
      default:
        out += offset_text(shape.offset_minutes.value_or(0), "");
    }
  }
  return out;
}

int64_t shift_micros(double units, int64_t micros_per_unit) {
  return std::llround(units * static_cast<double>(micros_per_unit));
}

// Python adds timedelta(days=x) to a date by whole days, rounded down.
int64_t shift_days(double days) { return static_cast<int64_t>(std::floor(days)); }

// The wall clock that a date-time lands on. Declared in days, it goes to the first or the last
// instant of the lagged day of UTC, so that the whole day is read again.
int64_t lagged_wall(int64_t wall, std::optional<int> offset_minutes, Shape unit, double shift) {
  if (unit == Shape::kDatetime) {
    return wall + shift_micros(shift, kMicrosPerSecond);
  }
  const int64_t offset = int64_t{offset_minutes.value_or(0)} * 60 * kMicrosPerSecond;
  const int64_t utc = wall - offset;
  const int64_t day = std::chrono::floor<std::chrono::days>(std::chrono::microseconds(utc)).count();
  const int64_t start = (day + shift_days(shift)) * kMicrosPerDay;
  return (shift < 0 ? start : start + kMicrosPerDay - 1) + offset;
}

[[noreturn]] void fail_lag(const json::Value& value) {
  throw Error(
      ErrorCode::kInvalid,
      fmt::format("lag: cannot be applied to the cursor value {}; expected a number, a date, a "
                  "date-time or text in the form of one, such as 2024-01-02T03:04:05Z",
                  json::write(json::without_markers(value))));
}

std::optional<Shape> declared_shape(const json::Value& initial_value) {
  if (!initial_value.is_string()) {
    return std::nullopt;
  }
  if (auto typed = json::typed(initial_value.as_string())) {
    return typed->first == json::TypedKind::kDate       ? std::optional(Shape::kDate)
           : typed->first == json::TypedKind::kDatetime ? std::optional(Shape::kDatetime)
                                                        : std::nullopt;
  }
  auto moment = parse_moment(initial_value.as_string());
  return moment ? std::optional(moment->shape()) : std::nullopt;
}

json::Value lag_text(const json::Value& value, std::optional<Shape> declared, double shift) {
  auto moment = parse_moment(value.as_string());
  if (!moment) {
    fail_lag(value);
  }
  const Shape unit = declared.value_or(moment->shape());
  if (moment->shape() == Shape::kDatetime) {
    return format_as(*moment,
                     lagged_wall(moment->wall_micros(), moment->offset_minutes, unit, shift));
  }
  const int64_t by = unit == Shape::kDate ? shift_days(shift) * kMicrosPerDay
                                          : shift_micros(shift, kMicrosPerSecond);
  return format_as(*moment, moment->wall_micros() + by);
}

json::Value lag_typed(const json::Value& value, json::TypedKind kind, std::string_view text,
                      std::optional<Shape> declared, double shift) {
  if (kind == json::TypedKind::kDate) {
    if (auto days = parse_iso_date(text)) {
      return json::make_typed(kind,
                              format_iso_date(static_cast<int32_t>(*days + shift_days(shift))));
    }
  }
  if (kind == json::TypedKind::kDatetime) {
    if (auto datetime = parse_iso_datetime(text)) {
      std::optional<int> offset;
      if (datetime->offset) {
        offset = static_cast<int>(datetime->offset->count());
      }
      datetime->wall_micros =
          lagged_wall(datetime->wall_micros, offset, declared.value_or(Shape::kDatetime), shift);
      return json::make_typed(kind, format_iso(*datetime));
    }
  }
  fail_lag(value);
}

json::Value lag_number(const json::Value& value, double shift) {
  const auto whole = value.as_number().to_int64();
  if (!whole) {
    return value.as_number().to_double() + shift;
  }
  if (shift == std::trunc(shift) && std::abs(shift) < 9e15) {
    int64_t moved = 0;
    if (__builtin_add_overflow(*whole, static_cast<int64_t>(shift), &moved)) {
      fail_lag(value);
    }
    return moved;
  }
  return static_cast<int64_t>(static_cast<double>(*whole) + shift);
}

json::Value shifted(const json::Value& value, std::optional<Shape> declared, double shift) {
  if (value.is_number()) {
    return lag_number(value, shift);
  }
  if (!value.is_string()) {
    fail_lag(value);
  }
  auto typed = json::typed(value.as_string());
  return typed ? lag_typed(value, typed->first, typed->second, declared, shift)
               : lag_text(value, declared, shift);
}

}  // namespace

json::Value apply_lag(double lag, const json::Value& initial_value, const json::Value& last_value,
                      LastValue last_value_func) {
  const bool is_max = last_value_func == LastValue::kMax;
  json::Value lagged = shifted(last_value, declared_shape(initial_value), is_max ? -lag : lag);
  auto order = compare(cursor_view(lagged), cursor_view(initial_value));
  const bool has_crossed = is_max ? order < 0 : order > 0;
  return has_crossed ? initial_value : lagged;
}

}  // namespace tidemark::source
