#include "tidemark/project/cron.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "tidemark/base/ascii.h"

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

}  // namespace

bool is_interval(std::string_view interval) {
  return std::ranges::find(kWords, interval, &Word::word) != kWords.end() || is_cron(interval);
}

std::optional<std::string> cron_of(std::string_view interval) {
  const auto word = std::ranges::find(kWords, interval, &Word::word);
  if (word == kWords.end()) return std::string(interval);
  return word->fields.empty() ? std::nullopt : std::optional(std::string(word->fields));
}

}  // namespace tidemark::project
