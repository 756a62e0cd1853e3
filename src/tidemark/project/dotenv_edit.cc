#include "tidemark/project/dotenv_edit.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/project/dotenv.h"

namespace tidemark::project {
namespace {

using Assignments = std::vector<DotenvAssignment>;

// In single quotes a backslash stands for itself, but in front of a quote or another one.
std::string quoted(std::string_view value) {
  std::string out = "'";
  for (size_t i = 0; i < value.size(); ++i) {
    const char next = i + 1 < value.size() ? value[i + 1] : '\'';
    const bool is_escape = value[i] == '\\' && (next == '\\' || next == '\'');
    if (is_escape || value[i] == '\'') out += '\\';
    out += value[i];
  }
  return out + "'";
}

bool ends_line(std::string_view text) {
  return text.empty() || text.ends_with('\n') || text.ends_with('\r');
}

std::string added(std::string_view text, const std::string& name, std::string_view value) {
  const std::string_view line_break = text.find("\r\n") != std::string_view::npos ? "\r\n" : "\n";
  return fmt::format("{}{}{}={}{}", text, ends_line(text) ? "" : line_break, name, quoted(value),
                     line_break);
}

std::string replaced(std::string_view text, const DotenvAssignment& assignment,
                     std::string_view value) {
  const std::string_view equals = assignment.value ? "" : "=";
  return fmt::format("{}{}{}{}", text.substr(0, assignment.value_begin), equals, quoted(value),
                     text.substr(assignment.value_end));
}

// Behind the line break of the line that ends at `place`.
size_t next_line(std::string_view text, size_t place) {
  if (text.substr(place).starts_with("\r\n")) return place + 2;
  return std::min(place + 1, text.size());
}

// What a reader takes from both is the same but for the variable, which has this value or is gone.
void check(std::string_view text, const std::string& edited, const std::string& file,
           std::string_view name, const std::optional<std::string>& value) {
  const auto others = [&](std::string_view from) {
    std::vector<std::pair<std::string, std::optional<std::string>>> all;
    for (const DotenvAssignment& assignment : parse_dotenv(from, file)) {
      if (assignment.name != name) all.emplace_back(assignment.name, assignment.value);
    }
    return all;
  };
  std::optional<std::string> said;
  for (const DotenvAssignment& assignment : parse_dotenv(edited, file)) {
    if (assignment.name == name) said = assignment.value;
  }
  if (said == value && others(text) == others(edited)) return;
  throw Error(ErrorCode::kUnsupported,
              fmt::format("{}: {} cannot be changed here without changing something else; please "
                          "edit it by hand",
                          file, name));
}

}  // namespace

std::string set_in_dotenv(std::string_view text, const std::string& file, const std::string& name,
                          std::string_view value) {
  if (value.find("${") != std::string_view::npos) {
    throw Error(
        ErrorCode::kUnsupported,
        fmt::format("{}: {} cannot have a value with '${{', which would be replaced when it "
                    "is read",
                    file, name));
  }
  const Assignments assignments = parse_dotenv(text, file);
  const auto last = std::find_if(assignments.rbegin(), assignments.rend(),
                                 [&](const DotenvAssignment& one) { return one.name == name; });
  std::string edited =
      last == assignments.rend() ? added(text, name, value) : replaced(text, *last, value);
  check(text, edited, file, name, std::string(value));
  return edited;
}

std::string remove_from_dotenv(std::string_view text, const std::string& file,
                               std::string_view name) {
  std::string edited(text);
  const Assignments assignments = parse_dotenv(text, file);
  for (const DotenvAssignment& one : std::views::reverse(assignments)) {
    if (one.name != name) continue;
    const size_t before = text.substr(0, one.begin).find_last_of("\r\n");
    const size_t begin = before == std::string_view::npos ? 0 : before + 1;
    edited.erase(begin, next_line(text, one.end) - begin);
  }
  check(text, edited, file, name, std::nullopt);
  return edited;
}

}  // namespace tidemark::project
