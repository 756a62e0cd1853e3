#include <memory>
#include <string>

#include "tidemark/cli/parse_commands.h"

namespace tidemark::cli {
namespace {

OptionSpec format_option(std::string* format) {
  return {.names = "--format", .target = format, .help = "How", .choices = {"text", "json"}};
}

CommandSpec list_spec() {
  auto list = std::make_shared<LogsListArguments>();
  return {.name = "list",
          .help = "The newest runs, with the IDs that their logs are found by",
          .options = {{"--limit", &list->limit, "How many at the most; 10 without it"},
                      format_option(&list->format)},
          .result = [list] { return LogsArguments(*list); }};
}

CommandSpec show_spec() {
  auto show = std::make_shared<LogsShowArguments>();
  return {.name = "show",
          .help = "What a run logged",
          .options = {{"RUN_ID", &show->run_id, "Which; the newest without one"},
                      {"--tail", &show->tail, "Only so many lines of its end"},
                      format_option(&show->format)},
          .result = [show] { return LogsArguments(*show); }};
}

}  // namespace

CommandSpec logs_spec() {
  return {.name = "logs",
          .help = "What runs of taps and targets logged",
          .commands = {
              list_spec(), show_spec(), {.name = "dir", .help = "Where the logs lie", .result = [] {
                                           return LogsArguments(LogsDirectoryArguments());
                                         }}}};
}

}  // namespace tidemark::cli
