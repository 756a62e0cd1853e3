#include "tidemark/project/dotenv.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"

namespace tidemark::project {
namespace {

constexpr std::string_view kBlanks = " \t\v\f";
constexpr std::string_view kBlanksAndNewlines = " \t\v\f\r\n";
constexpr std::string_view kNewlines = "\r\n";

char unescaped(char c) {
  constexpr std::string_view kLetters = "abfnrtv";
  constexpr std::string_view kControls = "\a\b\f\n\r\t\v";
  const size_t place = kLetters.find(c);
  return place == std::string_view::npos ? c : kControls[place];
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : text_(text), rest_(text), file_(file) {
    if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
  }

  // Nothing at the end.
  std::optional<DotenvAssignment> next() {
    while (true) {
      skip(kBlanksAndNewlines);
      if (rest_.empty()) return std::nullopt;
      start_ = rest_;
      skip_export();
      if (rest_.starts_with('#')) {
        end_line();
        continue;
      }
      DotenvAssignment assignment{.name = read_name(), .line = line(), .begin = place_of(start_)};
      assignment.value_begin = assignment.value_end = place_of(rest_);
      skip(kBlanks);
      if (take('=')) read_value(assignment);
      end_line();
      assignment.end = place_of(rest_);
      return assignment;
    }
  }

 private:
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string_view take_until(std::string_view stops) {
    const std::string_view taken =
        rest_.substr(0, std::min(rest_.find_first_of(stops), rest_.size()));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  // Whether there was something to skip.
  bool skip(std::string_view characters) {
    const size_t size = rest_.size();
    rest_.remove_prefix(std::min(rest_.find_first_not_of(characters), size));
    return rest_.size() < size;
  }

  void skip_export() {
    constexpr std::string_view kExport = "export";
    const std::string_view before = rest_;
    if (!rest_.starts_with(kExport)) return;
    rest_.remove_prefix(kExport.size());
    if (!skip(kBlanks)) rest_ = before;
  }

  std::string read_name() {
    std::string_view name;
    if (take('\'')) {
      name = take_until("'");
      if (!take('\'')) fail();
    } else {
      name = take_until("=# \t\v\f\r\n");
    }
    if (name.empty()) fail();
    return std::string(name);
  }

  void read_value(DotenvAssignment& assignment) {
    assignment.value_begin = place_of(rest_);
    const bool has_blank = skip(kBlanks);
    if (has_blank && rest_.starts_with('#')) {
      assignment.value = "";
    } else {
      assignment.value_begin = place_of(rest_);
      assignment.value = read_text();
    }
    assignment.value_end =
        has_blank && assignment.value->empty() ? assignment.value_begin : place_of(rest_);
  }

  std::string read_text() {
    if (take('\'')) return read_quoted('\'', "\\'");
    if (take('"')) return read_quoted('"', "\\'\"abfnrtv");
    return read_unquoted();
  }

  std::string read_quoted(char quote, std::string_view escapes) {
    std::string value;
    while (!rest_.empty() && !rest_.starts_with(quote)) {
      char c = rest_[0];
      rest_.remove_prefix(1);
      if (c == '\\' && !rest_.empty()) {
        if (escapes.find(rest_[0]) == std::string_view::npos) {
          value += c;
          c = rest_[0];
        } else {
          c = unescaped(rest_[0]);
        }
        rest_.remove_prefix(1);
      }
      value += c;
    }
    if (!take(quote)) fail();
    return value;
  }

  // Up to the end of the line, a blank before # starting a comment.
  std::string read_unquoted() {
    const std::string_view line =
        rest_.substr(0, std::min(rest_.find_first_of(kNewlines), rest_.size()));
    std::string_view value = line;
    for (size_t i = 1; i < value.size(); ++i) {
      if (value[i] == '#' && kBlanks.find(value[i - 1]) != std::string_view::npos) {
        value = value.substr(0, i);
        break;
      }
    }
    const size_t last = value.find_last_not_of(kBlanks);
    value = value.substr(0, last == std::string_view::npos ? 0 : last + 1);
    rest_.remove_prefix(value.size());
    return std::string(value);
  }

  void end_line() {
    skip(kBlanks);
    if (rest_.starts_with('#')) take_until(kNewlines);
    if (!rest_.empty() && kNewlines.find(rest_[0]) == std::string_view::npos) fail();
  }

  size_t place_of(std::string_view rest) const { return text_.size() - rest.size(); }

  // Of the current assignment.
  int line() const {
    const std::string_view before = text_.substr(0, place_of(start_));
    return static_cast<int>(std::ranges::count(before, '\n')) + 1;
  }

  [[noreturn]] void fail() const {
    throw Error(ErrorCode::kInvalid, fmt::format("{}:{}: expected NAME=VALUE", file_, line()));
  }

  std::string_view text_;
  std::string_view rest_;
  std::string_view start_;  // of the current assignment
  const std::string& file_;
};

// The variable's value, or what stands behind `:-`.
std::string value_of(std::string_view reference, const os::Environment::Variables& earlier,
                     const os::Environment& process) {
  const size_t colon = reference.find(':');
  const std::string_view name = reference.substr(0, colon);
  if (const auto variable = earlier.find(name); variable != earlier.end()) return variable->second;
  if (const std::string* value = process.find(name)) return *value;
  return colon == std::string_view::npos ? "" : std::string(reference.substr(colon + 2));
}

// Whether the text between braces is a name, with or without a default.
bool is_reference(std::string_view text) {
  const size_t colon = text.find(':');
  return colon == std::string_view::npos || text.substr(colon).starts_with(":-");
}

std::string interpolate(std::string_view value, const os::Environment::Variables& earlier,
                        const os::Environment& process) {
  std::string out;
  while (!value.empty()) {
    const size_t start = std::min(value.find("${"), value.size());
    out += value.substr(0, start);
    value.remove_prefix(start);
    if (value.empty()) break;
    const size_t end = value.find('}');
    if (end != std::string_view::npos && is_reference(value.substr(2, end - 2))) {
      out += value_of(value.substr(2, end - 2), earlier, process);
      value.remove_prefix(end + 1);
    } else {
      out += value[0];
      value.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace

std::vector<DotenvAssignment> parse_dotenv(std::string_view text, const std::string& file) {
  std::vector<DotenvAssignment> assignments;
  Reader reader(text, file);
  while (std::optional<DotenvAssignment> assignment = reader.next()) {
    assignments.push_back(std::move(*assignment));
  }
  return assignments;
}

Variables read_dotenv(std::string_view text, const std::string& file,
                      const os::Environment& process) {
  const auto place = std::make_shared<const std::string>(file);
  os::Environment::Variables values;
  Variables variables;
  for (DotenvAssignment& assignment : parse_dotenv(text, file)) {
    if (!assignment.value) {
      values.erase(assignment.name);
      continue;
    }
    variables.places.insert_or_assign(assignment.name, config::Position{place, assignment.line, 1});
    std::string value = interpolate(*assignment.value, values, process);
    values.insert_or_assign(std::move(assignment.name), std::move(value));
  }
  variables.values = os::Environment(std::move(values));
  return variables;
}

}  // namespace tidemark::project
