#include "tidemark/project/cron.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/ascii.h"
#include "tidemark/base/error.h"

namespace tidemark::project {
namespace {

struct Word {
  std::string_view word;
  std::string_view fields;  // empty: not started by cron
};

constexpr std::array kWords{
    Word{"@once", ""},
    Word{"@manual", ""},
    Word{"@none", ""},
    Word{"@hourly", "0 * * * *"},
    Word{"@daily", "0 0 * * *"},
    Word{"@midnight", "0 0 * * *"},
    Word{"@weekly", "0 0 * * 0"},
    Word{"@monthly", "0 0 1 * *"},
    Word{"@yearly", "0 0 1 1 *"},
    Word{"@annually", "0 0 1 1 *"},
};

// What a field may hold.
struct Field {
  int least;
  int most;
  std::string_view names;  // three letters each, from `least` on
};

constexpr std::array kFields{Field{0, 59, ""}, Field{0, 23, ""}, Field{1, 31, ""},
                             Field{1, 12, "janfebmaraprmayjunjulaugsepoctnovdec"},
                             Field{0, 7, "sunmontuewedthufrisat"}};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<int> value_of(std::string_view text, const Field& field) {
  int value = 0;
  const auto [rest, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault == std::errc() && rest == text.data() + text.size()) {
    return value >= field.least && value <= field.most ? std::optional(value) : std::nullopt;
  }
  const size_t at = text.size() == 3 ? field.names.find(ascii_lower(text)) : std::string_view::npos;
  if (at == std::string_view::npos || at % 3 != 0) return std::nullopt;
  return field.least + static_cast<int>(at / 3);
}

// `*`, `5`, `1-5`, each with `/2` behind or not.
bool is_part(std::string_view part, const Field& field) {
  const std::vector<std::string_view> steps = split(part, '/');
  if (steps.size() > 2) return false;
  if (steps.size() == 2 && !value_of(steps[1], {.least = 1, .most = field.most, .names = ""})) {
    return false;
  }
  if (steps[0] == "*") return true;
  const std::vector<std::string_view> ends = split(steps[0], '-');
  if (ends.size() > 2) return false;
  return std::ranges::all_of(
      ends, [&](std::string_view end) { return value_of(end, field).has_value(); });
}

bool is_cron(std::string_view interval) {
  std::vector<std::string_view> fields = split(interval, ' ');
  std::erase(fields, "");
  if (fields.size() != kFields.size()) return false;
  for (size_t i = 0; i < fields.size(); ++i) {
    const bool is_good = std::ranges::all_of(
        split(fields[i], ','), [&](std::string_view part) { return is_part(part, kFields[i]); });
    if (!is_good) return false;
  }
  return true;
}

Error unclear(std::string_view part) {
  return {ErrorCode::kUnsupported,
          fmt::format("the part '{}' of a cron expression is not read in the same way everywhere: "
                      "a range runs upwards, and a step follows `*` or a range",
                      part)};
}

// What a good field lists.
std::set<int> values_of(std::string_view text, const Field& field) {
  std::set<int> values;
  for (const std::string_view part : split(text, ',')) {
    const std::vector<std::string_view> steps = split(part, '/');
    const std::vector<std::string_view> ends = split(steps[0], '-');
    const bool is_all = steps[0] == "*";
    const int first = is_all ? field.least : *value_of(ends.front(), field);
    const int last = is_all ? field.most : *value_of(ends.back(), field);
    const bool has_lone_step = !is_all && ends.size() == 1 && steps.size() == 2;
    if (last < first || has_lone_step) throw unclear(part);
    const int step =
        steps.size() == 2 ? *value_of(steps[1], {.least = 1, .most = field.most, .names = ""}) : 1;
    for (int value = first; value <= last; value += step) values.insert(value);
  }
  return values;
}

std::string numbers_text(std::string_view text, const Field& field) {
  const std::set<int> values = values_of(text, field);
  if (values.size() == static_cast<size_t>(field.most - field.least + 1)) return "*";
  std::string list;
  for (const int value : values) list += fmt::format("{}{:02}", list.empty() ? "" : ",", value);
  return list;
}

// Empty for all of them.
std::string weekdays_text(std::string_view text) {
  constexpr std::array<std::string_view, 7> kNames{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  std::set<int> days;
  for (const int day : values_of(text, kFields[4])) days.insert(day % 7);
  if (days.size() == kNames.size()) return "";
  std::string list;
  for (const int day : days) {
    list += fmt::format("{}{}", list.empty() ? "" : ",", kNames[static_cast<size_t>(day)]);
  }
  return list + " ";
}

}  // namespace

bool is_interval(std::string_view interval) {
  return std::ranges::find(kWords, interval, &Word::word) != kWords.end() || is_cron(interval);
}

std::optional<std::string> cron_of(std::string_view interval) {
  const auto word = std::ranges::find(kWords, interval, &Word::word);
  if (word == kWords.end()) return std::string(interval);
  return word->fields.empty() ? std::nullopt : std::optional(std::string(word->fields));
}

std::vector<std::string> calendar_events(std::string_view interval) {
  const std::optional<std::string> cron = cron_of(interval);
  if (!cron) return {};
  std::vector<std::string_view> fields = split(*cron, ' ');
  std::erase(fields, "");
  const auto event = [&](std::string_view day, std::string_view weekday) {
    return fmt::format("{}*-{}-{} {}:{}:00", weekdays_text(weekday),
                       numbers_text(fields[3], kFields[3]), numbers_text(day, kFields[2]),
                       numbers_text(fields[1], kFields[1]), numbers_text(fields[0], kFields[0]));
  };
  // cron(8): either is enough, unless one of them begins with a star.
  const bool is_either = !fields[2].starts_with('*') && !fields[4].starts_with('*');
  if (is_either) return {event(fields[2], "*"), event("*", fields[4])};
  return {event(fields[2], fields[4])};
}

}  // namespace tidemark::project
