#include "tidemark/info/format.h"

#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/datetime.h"

namespace tidemark::info {
namespace {

constexpr int64_t kMicrosPerDay = 86'400'000'000;

struct Parts {
  int64_t years = 0;
  int64_t months = 0;
  int64_t days = 0;
  int64_t hours = 0;
  int64_t minutes = 0;
  double seconds = 0;
};

int64_t take(int64_t& value, int64_t unit) {
  int64_t whole = value / unit;
  value %= unit;
  return whole;
}

Parts split(std::chrono::microseconds duration) {
  int64_t micros = std::abs(duration.count());
  int64_t days = take(micros, kMicrosPerDay);
  Parts parts;
  parts.years = take(days, 365);
  int64_t half_days = 2 * days;  // a month is 30.5 days
  parts.months = take(half_days, 61);
  parts.days = half_days / 2;
  parts.hours = take(micros, 3'600'000'000);
  parts.minutes = take(micros, 60'000'000);
  // Rounded as it is printed, so that 59.999 seconds become a minute.
  parts.seconds = std::stod(fmt::format("{:.2f}", static_cast<double>(micros) / 1e6));
  return parts;
}

// Seconds that were rounded up to a minute move up, and so on.
void carry(Parts& parts) {
  if (parts.seconds >= 60) {
    parts.seconds -= 60;
    ++parts.minutes;
  }
  if (parts.minutes >= 60) {
    parts.minutes -= 60;
    ++parts.hours;
  }
  if (parts.hours >= 24) {
    parts.hours -= 24;
    ++parts.days;
  }
  if (parts.days >= 31) {
    parts.days -= 31;
    ++parts.months;
  }
  if (parts.months >= 12) {
    parts.months -= 12;
    ++parts.years;
  }
}

std::string join(const std::vector<std::string>& texts) {
  std::string out = texts.front();
  for (size_t i = 1; i < texts.size(); ++i) {
    out += i + 1 == texts.size() ? " and " : ", ";
    out += texts[i];
  }
  return out;
}

}  // namespace

std::string format_duration(std::chrono::microseconds duration) {
  Parts parts = split(duration);
  carry(parts);
  std::vector<std::string> texts;
  auto add = [&](int64_t count, std::string_view unit) {
    if (count > 0) {
      texts.push_back(fmt::format("{} {}{}", format_count(static_cast<uint64_t>(count)), unit,
                                  count == 1 ? "" : "s"));
    }
  };
  add(parts.years, "year");
  add(parts.months, "month");
  add(parts.days, "day");
  add(parts.hours, "hour");
  add(parts.minutes, "minute");
  bool is_whole = parts.seconds == std::floor(parts.seconds);
  if (!is_whole) {
    texts.push_back(fmt::format("{:.2f} seconds", parts.seconds));
  } else if (parts.seconds > 0 || texts.empty()) {
    texts.push_back(fmt::format("{:.0f} second{}", parts.seconds, parts.seconds == 1 ? "" : "s"));
  }
  return join(texts);
}

std::string format_size(uint64_t bytes) {
  constexpr std::string_view kSuffixes = "KMGTPE";
  if (bytes < 1024) return fmt::format("{}B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  size_t suffix = 0;
  // What would print as 1024.0 goes one suffix up.
  while (value >= 1023.95 && suffix + 1 < kSuffixes.size()) {
    value /= 1024;
    ++suffix;
  }
  return fmt::format("{:.1f}{}", value, kSuffixes[suffix]);
}

std::string format_datetime(Time time) { return format_iso(time, ' '); }

std::string format_count(uint64_t count) {
  std::string digits = fmt::format("{}", count);
  for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

}  // namespace tidemark::info
