#include "tidemark/cli/console.h"

#include <fmt/format.h>

#include "tidemark/base/datetime.h"
#include "tidemark/base/error.h"
#include "tidemark/cli/terminal_text.h"
#include "tidemark/json/write.h"

namespace tidemark::cli {
namespace {

bool wants_color(const CliContext& context, const CommonOptions& options) {
  return context.err->is_terminal() && !options.no_color && !options.json_log &&
         !context.environment->find_not_empty("NO_COLOR");
}

}  // namespace

Console::Console(const CliContext& context, const CommonOptions& options)
    : context_(context), options_(options), is_colored_(wants_color(context, options)) {}

void Console::result(std::string_view text) const {
  result_part(text.ends_with('\n') ? std::string(text) : fmt::format("{}\n", text));
}

void Console::result_part(std::string_view text) const {
  // A program gets the bytes as they are.
  if (context_.out->is_terminal()) {
    context_.out->write(terminal_text(text));
  } else {
    context_.out->write(text);
  }
}

void Console::say(std::string_view level, std::string_view color, std::string_view message) const {
  if (options_.json_log) {
    const json::Object line{{"time", format_iso(context_.clock->now())},
                            {"level", level.empty() ? "info" : level},
                            {"message", message}};
    context_.err->write(json::write_python_compact(line) + "\n");
    return;
  }
  std::string line;
  if (!level.empty()) {
    line = is_colored_ ? fmt::format("{}{}:\x1b[0m ", color, level) : fmt::format("{}: ", level);
  }
  line += terminal_text(message);
  if (!line.ends_with('\n')) {
    line += '\n';
  }
  context_.err->write(line);
}

void Console::confirm(std::string_view question) const {
  if (options_.assume_yes) {
    return;
  }
  constexpr std::string_view kHint = "nothing was changed; --yes goes on without a question";
  if (!context_.in->is_terminal()) {
    note(question);
    throw Error(ErrorCode::kInvalid, fmt::format("there is no terminal to answer on: {}", kHint));
  }
  context_.err->write(terminal_text(question) + " [y/N]: ");
  const auto answer = context_.in->read_line();
  context_.cancellation->throw_if_cancelled();
  if (!answer || !(*answer == "y" || *answer == "Y" || *answer == "yes")) {
    throw Error(ErrorCode::kInvalid, std::string(kHint));
  }
}

}  // namespace tidemark::cli
