#include "tidemark/cli/state_input.h"

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/os/files.h"
#include "tidemark/state/service.h"

namespace tidemark::cli {
namespace {

bool is_document(std::string_view line) {
  try {
    json::read_python(line);
    return true;
  } catch (const Error&) {
    return false;
  }
}

struct LineCount {
  int all = 0;
  int whole = 0;
};

// A target's output that was kept as a file has one state a line.
LineCount count_lines(std::string_view text) {
  LineCount count;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") != line.npos) {
      ++count.all;
      count.whole += is_document(line) ? 1 : 0;
    }
  }
  return count;
}

}  // namespace

std::string read_input(const Console& console, const std::string& file) {
  const CliContext& context = console.context();
  if (file != "-") {
    return os::read_file(context.surroundings.current_directory / file);
  }
  std::string text;
  while (auto line = context.in->read_line()) {
    text += *line + "\n";
  }
  context.cancellation->throw_if_cancelled();
  return text;
}

json::Value parse_json(std::string_view text) {
  try {
    return json::read_python(text);
  } catch (const Error& error) {
    const LineCount lines = count_lines(text);
    if (lines.all > 1 && lines.whole > 0) {
      throw Error(ErrorCode::kInvalid,
                  fmt::format("one JSON document is expected; these are {} lines, {} of which are "
                              "one each: give the one that is meant",
                              lines.all, lines.whole));
    }
    throw Error(ErrorCode::kInvalid, fmt::format("invalid JSON: {}", error.message()));
  }
}

json::Value read_state(const Console& console, const StateInput& input, std::string_view other) {
  if (input.text.has_value() == input.file.has_value()) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("exactly one of these must be given: STATE, --input-file{}{}",
                            other.empty() ? "" : ", ", other));
  }
  return parse_json(input.text ? *input.text : read_input(console, *input.file));
}

void validate_state(const json::Value& state, bool knows_no_validate) {
  const std::string fault = state::state_fault(state);
  if (!fault.empty()) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("{}{}", fault,
                            knows_no_validate ? "; --no-validate takes it all the same" : ""));
  }
}

}  // namespace tidemark::cli
