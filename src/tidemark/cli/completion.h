#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/cli/command_spec.h"

namespace tidemark::cli {

// What may stand in the place of the last word of a command line.
struct Completion {
  // Words of the command line itself that go on from it: commands, options, choices.
  std::vector<std::string> words = {};
  // What else may stand there, by its name in the project.
  NamedThing thing = NamedThing::kNone;
  // What it begins with already, and what a shell wants back in front of it: of `--x=ab` both
  // parts.
  std::string begun = {};
  std::string front = {};
  // Options that were given with a value: {"--environment", "dev"}.
  std::map<std::string, std::string, std::less<>> given = {};
};

// words are those behind the program's name up to where the cursor is; the last one may be empty.
Completion complete(const CommandSpec& program, const std::vector<std::string>& words);

// The script by which a shell asks `tidemark complete`: bash, zsh or fish.
std::string_view completion_script(std::string_view shell);

}  // namespace tidemark::cli
