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
  int64_t wall_micros = 0;                      // since 1970-01-01T00:00:00 on that wall clock
  std::optional<std::chrono::minutes> offset;   // empty = naive

  // The instant in microseconds since the epoch; naive is read as UTC.
  int64_t utc_micros() const;
  bool operator==(const DateTime&) const = default;
};

// Reads what dlt 1.31 with pendulum 3.3 takes for a date-time (spec: dlt.md 5.6): ISO date with a time,
// `T` or a blank between, basic or extended form, week and ordinal dates, fraction cut to six digits.
// Nothing for plain dates, plain times and everything else. Allocates nothing.
std::optional<DateTime> parse_iso_datetime(std::string_view text);
// `2024-01-02` only; days since the epoch.
std::optional<int32_t> parse_iso_date(std::string_view text);
// `03:04:05[.ffffff]`, with an offset shifted to UTC; microseconds since midnight.
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
