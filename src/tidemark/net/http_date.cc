#include "tidemark/net/http_date.h"

#include <array>
#include <cstdio>

#include <fmt/format.h>

namespace tidemark::net {
namespace {

using std::chrono::sys_days;

constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
constexpr std::string_view kWeekdays = "SunMonTueWedThuFriSat";

}  // namespace

std::optional<Time> parse_http_date(std::string_view text) {
  std::array<char, 4> name{};
  unsigned day = 0;
  int year = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  const std::string copy(text);
  if (std::sscanf(copy.c_str(), "%*3s, %2u %3s %4d %2d:%2d:%2d GMT", &day, name.data(), &year,
                  &hour, &minute, &second) != 6) {
    return std::nullopt;
  }
  const size_t month = kMonths.find(name.data());
  if (month == std::string_view::npos || month % 3 != 0) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month / 3 + 1)),
                                         std::chrono::day(day)};
  if (!date.ok()) return std::nullopt;
  return sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second);
}

std::string format_http_date(Time time) {
  const sys_days day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(time - day));
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                     kWeekdays.substr(3 * std::chrono::weekday(day).c_encoding(), 3),
                     static_cast<unsigned>(date.day()),
                     kMonths.substr(3 * (static_cast<unsigned>(date.month()) - 1), 3),
                     static_cast<int>(date.year()), clock.hours().count(), clock.minutes().count(),
                     clock.seconds().count());
}

}  // namespace tidemark::net
