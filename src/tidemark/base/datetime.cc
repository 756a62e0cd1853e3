#include "tidemark/base/datetime.h"

#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace tidemark {
namespace {

using std::chrono::days;
using std::chrono::microseconds;
using std::chrono::minutes;

constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr int64_t kMicrosPerDay = 86'400 * kMicrosPerSecond;
constexpr int kMinutesPerDay = 1'440;
constexpr int kMinYear = 1;
constexpr int kMaxYear = 9'999;
constexpr size_t kMaxCommonFraction = 9;

// A time of day as text gave it.
struct TimeOfDay {
  int64_t micros = 0;
  std::optional<minutes> offset;
};

// What a text holds: a date, a time, or both.
struct Moment {
  std::optional<int32_t> date;
  std::optional<TimeOfDay> time;
};

std::optional<int32_t> days_of(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || year < kMinYear || year > kMaxYear) return std::nullopt;
  return static_cast<int32_t>(std::chrono::sys_days(date).time_since_epoch().count());
}

std::optional<int32_t> days_of_ordinal(int year, int ordinal) {
  const int length = std::chrono::year(year).is_leap() ? 366 : 365;
  const std::optional<int32_t> first = days_of(year, 1, 1);
  if (!first || ordinal < 1 || ordinal > length) return std::nullopt;
  return *first + ordinal - 1;
}

// ISO 8601 weeks: week 1 is that of January the fourth, Monday is day 1. As in pendulum, week and
// day 0 are the ones before the first.
std::optional<int32_t> days_of_week_date(int year, int week, int day) {
  const std::optional<int32_t> fourth = days_of(year, 1, 4);
  if (!fourth || week < 0 || week > 53 || day < 0 || day > 7) return std::nullopt;
  const std::chrono::weekday weekday_of_fourth{std::chrono::sys_days(days(*fourth))};
  const int32_t monday_of_week_1 = *fourth - static_cast<int>(weekday_of_fourth.iso_encoding()) + 1;
  const int32_t date = monday_of_week_1 + (week - 1) * 7 + day - 1;
  // A year has a week 53 when the Thursday of that week is still in it.
  const std::chrono::year_month_day thursday{
      std::chrono::sys_days(days(monday_of_week_1 + 52 * 7 + 3))};
  if (week == 53 && int(thursday.year()) != year) return std::nullopt;
  const std::chrono::year_month_day result{std::chrono::sys_days(days(date))};
  if (int(result.year()) < kMinYear || int(result.year()) > kMaxYear) return std::nullopt;
  return date;
}

std::optional<int64_t> micros_of(int hour, int minute, int second, int micros) {
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) {
    return std::nullopt;
  }
  return (hour * 3'600 + minute * 60 + second) * kMicrosPerSecond + micros;
}

// Reads a text from the front. A read that fails leaves the position anywhere: the caller gives up.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool at_end() const { return at_ == end_; }
  size_t size() const { return static_cast<size_t>(end_ - at_); }
  // The next character, NUL at the end.
  char peek() const { return at_ == end_ ? '\0' : *at_; }
  bool is_digit() const { return at_ != end_ && *at_ >= '0' && *at_ <= '9'; }
  bool take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool take_either(char a, char b) { return take(a) || take(b); }
  // The number of exactly `digits` digits; -1 when they are not there.
  int number(int digits) {
    int value = 0;
    for (int i = 0; i < digits; ++i) {
      if (!is_digit()) return -1;
      value = value * 10 + (*at_++ - '0');
    }
    return value;
  }
  // One digit, or two when there are two; -1 when there is none.
  int one_or_two_digits() {
    int value = number(1);
    if (value >= 0 && is_digit()) value = value * 10 + number(1);
    return value;
  }
  // Microseconds of a fraction's digits, the seventh and later ones dropped; -1 when there is none.
  int fraction() {
    if (!is_digit()) return -1;
    int value = 0;
    for (int i = 0; i < 6; ++i) value = value * 10 + (is_digit() ? *at_++ - '0' : 0);
    while (is_digit()) ++at_;
    return value;
  }

 private:
  const char* at_;
  const char* end_;
};

bool at_end_of_date(const Scanner& in) {
  return in.at_end() || in.peek() == ' ' || in.peek() == 'T';
}

bool at_end_of_clock(const Scanner& in) {
  return in.at_end() || in.peek() == 'Z' || in.peek() == '+' || in.peek() == '-';
}

// ---- dates ----

// The rest of `YYYY-Www[-D]` or `YYYYWww[D]`, behind the W.
std::optional<int32_t> scan_week_date(Scanner& in, int year, bool is_extended) {
  const int week = in.number(2);
  if (at_end_of_date(in)) return days_of_week_date(year, week, 1);
  if (is_extended && !in.take('-')) return std::nullopt;
  return days_of_week_date(year, week, in.number(1));
}

// The rest of `YYYY-MM-DD`, `YYYY-MM` or `YYYY-DDD`, behind the first hyphen.
std::optional<int32_t> scan_extended_date(Scanner& in, int year) {
  const int month = in.number(2);
  if (month < 0) return std::nullopt;
  if (at_end_of_date(in)) return days_of(year, month, 1);
  if (in.take('-')) {
    const int day = in.number(2);
    return day < 0 ? std::nullopt : days_of(year, month, day);
  }
  const int last_digit = in.number(1);
  return last_digit < 0 ? std::nullopt : days_of_ordinal(year, month * 10 + last_digit);
}

// The rest of `YYYYMMDD` or `YYYYDDD`, behind the year.
std::optional<int32_t> scan_basic_date(Scanner& in, int year) {
  const int month = in.number(2);
  const int digit = in.number(1);
  if (month < 0 || digit < 0) return std::nullopt;
  if (at_end_of_date(in)) return days_of_ordinal(year, month * 10 + digit);
  const int last_digit = in.number(1);
  return last_digit < 0 ? std::nullopt : days_of(year, month, digit * 10 + last_digit);
}

std::optional<int32_t> scan_date(Scanner& in, bool& is_extended) {
  const int year = in.number(4);
  if (year < 0) return std::nullopt;
  is_extended = in.take('-');
  if (in.take('W')) return scan_week_date(in, year, is_extended);
  return is_extended ? scan_extended_date(in, year) : scan_basic_date(in, year);
}

// ---- times ----

bool scan_offset(Scanner& in, std::optional<minutes>& offset) {
  if (in.take('Z')) {
    offset = minutes(0);
    return true;
  }
  const bool is_negative = in.peek() == '-';
  if (!in.take_either('+', '-')) return true;
  const int hour = in.number(2);
  in.take(':');
  const int minute = in.at_end() ? 0 : in.number(2);
  if (hour < 0 || minute < 0 || hour * 60 + minute >= kMinutesPerDay) return false;
  offset = minutes(is_negative ? -(hour * 60 + minute) : hour * 60 + minute);
  return true;
}

// The rest of a time behind its hour: minutes, seconds, fraction and offset, up to the end of the
// text. Basic and extended form go together only where there are no seconds to tell them apart.
std::optional<TimeOfDay> scan_behind_hour(Scanner& in, int hour, bool is_extended) {
  TimeOfDay time;
  int minute = 0;
  int second = 0;
  int micros = 0;
  if (!at_end_of_clock(in)) {
    const bool has_colon = in.take(':');
    minute = in.number(2);
    if (!has_colon && is_extended) return std::nullopt;
    if (!at_end_of_clock(in)) {
      if (has_colon && (!in.take(':') || !is_extended)) return std::nullopt;
      second = in.number(2);
      if (in.take_either('.', ',')) micros = in.fraction();
    }
  }
  const std::optional<int64_t> of_day = micros_of(hour, minute, second, micros);
  if (!of_day || micros < 0 || !scan_offset(in, time.offset) || !in.at_end()) return std::nullopt;
  time.micros = *of_day;
  return time;
}

std::optional<Moment> parse_iso(std::string_view text) {
  Scanner in(text);
  Moment moment;
  const bool is_time = text.starts_with('T') || (text.size() > 2 && text[2] == ':');
  bool is_extended = is_time && text[0] != 'T';
  if (!is_time) {
    moment.date = scan_date(in, is_extended);
    if (!moment.date) return std::nullopt;
    if (in.at_end()) return moment;
  }
  if (!is_extended || !is_time) {
    if (!in.take('T') && (is_time || !in.take(' '))) return std::nullopt;
  }
  moment.time = scan_behind_hour(in, in.number(2), is_extended);
  if (!moment.time) return std::nullopt;
  return moment;
}

// ---- what is not ISO 8601 but pendulum's "common" form ----

struct MonthAndDay {
  int month = 1;
  int day = 1;
};

// `MM/DD`, `MM:DD` or `MMDD`, with a slash or colon in front or not.
std::optional<MonthAndDay> scan_common_month_and_day(Scanner& in) {
  in.take_either('/', ':');
  const int month = in.number(2);
  in.take_either('/', ':');
  const int day = in.number(2);
  if (month < 0 || day < 0) return std::nullopt;
  return MonthAndDay{month, day};
}

// What follows the date. Nothing when the text has another shape; a Moment without a time when the
// shape is right and the numbers are not.
std::optional<Moment> scan_common_time(Scanner& in, std::optional<int32_t> date) {
  in.take(' ');
  const int hour = in.one_or_two_digits();
  if (hour < 0 || !in.take(':')) return std::nullopt;
  const int minute = in.one_or_two_digits();
  const int second = in.take(':') ? in.one_or_two_digits() : 0;
  int micros = 0;
  if (in.take_either('.', ',') || in.take('|')) {
    micros = in.size() <= kMaxCommonFraction ? in.fraction() : -1;
  }
  if (second < 0 || micros < 0 || !in.at_end()) return std::nullopt;
  const std::optional<int64_t> of_day = micros_of(hour, minute, second, micros);
  if (!of_day) return Moment{};
  return Moment{date, TimeOfDay{*of_day, std::nullopt}};
}

std::optional<Moment> scan_common_rest(Scanner& in, int year, MonthAndDay month_and_day) {
  const std::optional<int32_t> date = days_of(year, month_and_day.month, month_and_day.day);
  if (in.at_end()) return Moment{date, std::nullopt};
  const std::optional<Moment> moment = scan_common_time(in, date);
  return moment && !date ? Moment{} : moment;
}

// `2024`, `2024/01/02`, `2024:01:02 3:04`, `3:4:5.6`: what the ISO reader refuses and dlt still
// takes.
Moment parse_common(std::string_view text) {
  Scanner in(text);
  const int year = in.number(4);
  if (year < 0) {
    in = Scanner(text);
    return scan_common_time(in, std::nullopt).value_or(Moment{});
  }
  // `202401:02` is a month and a day, `202401:02:03` a time on the first of January.
  Scanner ahead = in;
  if (const std::optional<MonthAndDay> month_and_day = scan_common_month_and_day(ahead)) {
    if (const std::optional<Moment> moment = scan_common_rest(ahead, year, *month_and_day)) {
      return *moment;
    }
  }
  return scan_common_rest(in, year, MonthAndDay{}).value_or(Moment{});
}

Moment parse_moment(std::string_view text) {
  const std::optional<Moment> moment = parse_iso(text);
  return moment ? *moment : parse_common(text);
}

DateTime at(int32_t date, const TimeOfDay& time) {
  return {.wall_micros = date * kMicrosPerDay + time.micros, .offset = time.offset};
}

// ---- the shape that nearly every value has ----

constexpr size_t kPlainLength = std::string_view("2024-01-02T03:04:05").size();

// Reads two digits; sets bits of `wrong` when one is none.
int two_digits(const char* at, unsigned& wrong) {
  const auto tens = static_cast<unsigned>(at[0] - '0');
  const auto ones = static_cast<unsigned>(at[1] - '0');
  // A digit is below 10: neither it nor it plus six has a bit above the lowest four.
  wrong |= (tens | (tens + 6) | ones | (ones + 6)) & ~15U;
  return static_cast<int>(tens * 10 + ones);
}

// `2024-01-02T03:04:05` with what may follow it. One test for all 19 characters, because values of
// a column nearly always have the same shape. Nothing when the shape is another one: the text may
// still be a date-time.
std::optional<DateTime> parse_plain(std::string_view text) {
  if (text.size() < kPlainLength) return std::nullopt;
  const char* at_text = text.data();
  unsigned wrong = (at_text[4] ^ '-') | (at_text[7] ^ '-') | (at_text[13] ^ ':') |
                   (at_text[16] ^ ':') | (at_text[10] != 'T' && at_text[10] != ' ');
  const int year = two_digits(at_text, wrong) * 100 + two_digits(at_text + 2, wrong);
  const int month = two_digits(at_text + 5, wrong);
  const int day = two_digits(at_text + 8, wrong);
  const int hour = two_digits(at_text + 11, wrong);
  const int minute = two_digits(at_text + 14, wrong);
  const int second = two_digits(at_text + 17, wrong);
  if (wrong != 0) return std::nullopt;
  const std::optional<int32_t> date = days_of(year, month, day);
  const std::optional<int64_t> of_day = micros_of(hour, minute, second, 0);
  if (!date || !of_day) return std::nullopt;
  TimeOfDay time{*of_day, std::nullopt};
  if (text.size() == kPlainLength + 1 && text.back() == 'Z') {
    time.offset = minutes(0);
    return at(*date, time);
  }
  Scanner in(text.substr(kPlainLength));
  const int micros = in.take_either('.', ',') ? in.fraction() : 0;
  if (micros < 0 || !scan_offset(in, time.offset) || !in.at_end()) return std::nullopt;
  time.micros += micros;
  return at(*date, time);
}

}  // namespace

int64_t DateTime::utc_micros() const {
  return wall_micros -
         std::chrono::duration_cast<microseconds>(offset.value_or(minutes(0))).count();
}

std::optional<DateTime> parse_iso_datetime(std::string_view text) {
  if (std::optional<DateTime> plain = parse_plain(text)) return plain;
  const Moment moment = parse_moment(text);
  if (!moment.date || !moment.time) return std::nullopt;
  return at(*moment.date, *moment.time);
}

std::optional<int32_t> parse_iso_date(std::string_view text) {
  const Moment moment = parse_moment(text);
  return moment.time ? std::nullopt : moment.date;
}

std::optional<int64_t> parse_iso_time(std::string_view text) {
  const Moment moment = parse_moment(text);
  if (moment.date || !moment.time) return std::nullopt;
  const int64_t utc = at(0, *moment.time).utc_micros();
  return (utc % kMicrosPerDay + kMicrosPerDay) % kMicrosPerDay;
}

std::string format_iso_date(int32_t days_since_epoch) {
  const std::chrono::year_month_day date{std::chrono::sys_days(days(days_since_epoch))};
  return fmt::format("{:04}-{:02}-{:02}", int(date.year()), unsigned(date.month()),
                     unsigned(date.day()));
}

std::string format_iso_time(int64_t micros) {
  const int64_t seconds = micros / kMicrosPerSecond;
  std::string text =
      fmt::format("{:02}:{:02}:{:02}", seconds / 3'600, seconds / 60 % 60, seconds % 60);
  const int64_t fraction = micros % kMicrosPerSecond;
  if (fraction != 0) text += fmt::format(".{:06}", fraction);
  return text;
}

std::string format_iso(const DateTime& value, char separator) {
  const microseconds wall(value.wall_micros);
  const days date = std::chrono::floor<days>(wall);
  std::string text = format_iso_date(static_cast<int32_t>(date.count()));
  text += separator;
  text += format_iso_time((wall - date).count());
  if (value.offset) {
    const int64_t offset = std::abs(value.offset->count());
    const char sign = value.offset->count() < 0 ? '-' : '+';
    text += fmt::format("{}{:02}:{:02}", sign, offset / 60, offset % 60);
  }
  return text;
}

std::string format_iso(Time time, char separator) {
  return format_iso(DateTime{.wall_micros = time.time_since_epoch().count(), .offset = minutes(0)},
                    separator);
}

std::string format_unix_seconds(double seconds) {
  const double size = std::abs(seconds);
  const bool is_fixed = size == 0 || (size >= 1e-4 && size < 1e16);
  std::array<char, 32> buffer;
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), seconds,
                    is_fixed ? std::chars_format::fixed : std::chars_format::scientific);
  std::string text(buffer.data(), end);
  if (is_fixed && text.find('.') == std::string::npos) text += ".0";
  return text;
}

}  // namespace tidemark
