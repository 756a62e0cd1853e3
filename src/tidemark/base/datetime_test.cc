#include "tidemark/base/datetime.h"

#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tidemark {
namespace {

std::string describe(std::string_view text) {
  const std::optional<DateTime> moment = parse_iso_datetime(text);
  const std::optional<int32_t> date = parse_iso_date(text);
  const std::optional<int64_t> time = parse_iso_time(text);
  EXPECT_LE(moment.has_value() + date.has_value() + time.has_value(), 1) << text;
  if (moment && moment->offset) {
    return fmt::format("datetime {} {}", moment->wall_micros, moment->offset->count());
  }
  if (moment) return fmt::format("datetime {} naive", moment->wall_micros);
  if (date) return fmt::format("date {}", *date);
  if (time) return fmt::format("time {}", *time);
  return "-";
}

TEST(ParseIso, TakesWhatDltTakes) {
  std::ifstream golden(TIDEMARK_GOLDEN_DIR "/dlt/date_times.tsv");
  std::string line;
  int lines = 0;
  while (std::getline(golden, line)) {
    const size_t tab = line.find('\t');
    ASSERT_NE(tab, std::string::npos) << line;
    EXPECT_EQ(describe(line.substr(0, tab)), line.substr(tab + 1)) << line;
    ++lines;
  }
  EXPECT_GT(lines, 100);
}

TEST(ParseIso, RefusesAnyOtherCharacterInAPlainDateTime) {
  const std::string plain = "2024-01-02T03:04:05Z";
  for (size_t i = 0; i < plain.size(); ++i) {
    for (char c : {'a', '/', '\x7f', '\xb0', '@'}) {
      std::string text = plain;
      text[i] = c;
      EXPECT_EQ(describe(text), "-") << text;
    }
  }
}

TEST(ParseIso, RefusesOffsetsOfADayAndMore) {
  EXPECT_EQ(describe("2024-01-02T03:04:05+24:00"), "-");
  EXPECT_EQ(describe("2024-01-02T03:04:05-99:00"), "-");
  EXPECT_EQ(describe(""), "-");
}

TEST(DateTime, GivesTheInstantOfAnOffsetAndReadsNaiveAsUtc) {
  EXPECT_EQ(parse_iso_datetime("1970-01-01T02:00:00+02:00")->utc_micros(), 0);
  EXPECT_EQ(parse_iso_datetime("1969-12-31T23:30:00-00:30")->utc_micros(), 0);
  EXPECT_EQ(parse_iso_datetime("1970-01-01T00:00:01")->utc_micros(), 1'000'000);
}

TEST(FormatIso, WritesLikePython) {
  const auto round_trip = [](std::string_view text) {
    return format_iso(*parse_iso_datetime(text));
  };
  EXPECT_EQ(round_trip("2024-01-02T03:04:05Z"), "2024-01-02T03:04:05+00:00");
  EXPECT_EQ(round_trip("2024-01-02 03:04:05.5-05:30"), "2024-01-02T03:04:05.500000-05:30");
  EXPECT_EQ(round_trip("2024-01-02T03"), "2024-01-02T03:00:00");
  EXPECT_EQ(round_trip("0001-01-01T00:00:00.000001"), "0001-01-01T00:00:00.000001");
  EXPECT_EQ(round_trip("1969-12-31T23:59:59.999999"), "1969-12-31T23:59:59.999999");
  EXPECT_EQ(format_iso(Time(std::chrono::microseconds(1)), ' '),
            "1970-01-01 00:00:00.000001+00:00");
  EXPECT_EQ(format_iso_date(-1), "1969-12-31");
  EXPECT_EQ(format_iso_time(86'399'999'999), "23:59:59.999999");
  EXPECT_EQ(format_iso_time(0), "00:00:00");
}

TEST(FormatUnixSeconds, IsTheTextOfAPythonFloat) {
  EXPECT_EQ(format_unix_seconds(1796038212.2672029), "1796038212.2672029");
  EXPECT_EQ(format_unix_seconds(1796038520.163376), "1796038520.163376");
  EXPECT_EQ(format_unix_seconds(1796038520), "1796038520.0");
  EXPECT_EQ(format_unix_seconds(0), "0.0");
  EXPECT_EQ(format_unix_seconds(0.0001), "0.0001");
  EXPECT_EQ(format_unix_seconds(0.00001), "1e-05");
  EXPECT_EQ(format_unix_seconds(1e15), "1000000000000000.0");
  EXPECT_EQ(format_unix_seconds(1e16), "1e+16");
}

}  // namespace
}  // namespace tidemark
