#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tidemark/base/clock.h"

namespace tidemark {

// A date-time as text gave it: wall clock microseconds and, when the text names one, the offset.
struct DateTime {
  int64_t wall_micros = 0;                     // since 1970-01-01T00:00:00 on that wall clock
  std::optional<std::chrono::minutes> offset;  // empty = naive

  // The instant in microseconds since the epoch; naive is read as UTC.
  int64_t utc_micros() const;
  bool operator==(const DateTime&) const = default;
};

// The three readers take what dlt 1.31 with pendulum 3.3 takes, each text being one kind at the
// most. They allocate nothing. Where pendulum names an offset that Python cannot apply (a day or
// more) they give nothing.

// ISO date with a time, `T` or a blank between, basic or extended form, week and ordinal dates,
// fraction cut to six digits; also `2024/01/02 3:04`.
std::optional<DateTime> parse_iso_datetime(std::string_view text);
// Days since the epoch of `2024-01-02`, `20240102`, `2024-W01[-1]`, `2024-001`, `2024/01/02`; the
// first day of `2024-01` and `2024`.
std::optional<int32_t> parse_iso_date(std::string_view text);
// Microseconds since midnight of `03:04[:05[.ffffff]]`, `3:4:5`, `T030405`; with an offset shifted
// to UTC.
std::optional<int64_t> parse_iso_time(std::string_view text);

// As Python's isoformat(): `2024-01-02T03:04:05.678900+00:00`; no fraction when it is zero.
std::string format_iso(const DateTime& value, char separator = 'T');
// The same for an instant, in UTC with +00:00.
std::string format_iso(Time time, char separator = 'T');
std::string format_iso_date(int32_t days);
std::string format_iso_time(int64_t micros);

// Python's str(time.time()) of that instant: a load id when the clock gives one.
std::string format_unix_seconds(double seconds);

}  // namespace tidemark
