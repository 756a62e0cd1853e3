#include <memory>

#include "tidemark/cli/parse_commands.h"

namespace tidemark::cli {

CommandSpec completion_spec() {
  auto completion = std::make_shared<CompletionArguments>();
  return {.name = "completion",
          .help = "The script that completes words in a shell",
          .options = {{.names = "SHELL",
                       .target = &completion->shell,
                       .help = "Whose words they are",
                       .is_required = true,
                       .choices = {"bash", "zsh", "fish"}}},
          .result = [completion] { return *completion; }};
}

CommandSpec complete_spec() {
  auto complete = std::make_shared<CompleteArguments>();
  return {.name = "complete",
          .help = "",
          .options = {{"WORD", AllThatFollow{&complete->words}, "Behind --: the words so far"}},
          .result = [complete] { return *complete; }};
}

}  // namespace tidemark::cli
