#pragma once

#include <string>
#include <vector>

#include "tidemark/cli/command_spec.h"

namespace tidemark::cli {

// The program itself, then the commands that were named below it.
using NamedCommands = std::vector<const CommandSpec*>;

// What reading a command line came to.
struct Reading {
  enum class Outcome { kRead, kIncomplete, kHelp, kVersion, kUnexpected, kWrong };

  Outcome outcome = Outcome::kRead;
  NamedCommands named = {};
  std::string text = {};                     // kHelp, kIncomplete: the help; kWrong: what is wrong
  std::vector<std::string> unexpected = {};  // kUnexpected: words that no command takes
};

// Fills the targets of the commands that args name; with any other outcome than kRead some or none
// of them. An option is taken at any place behind the command it belongs to. --help and --version
// are taken everywhere, and a command without a result is asked for its help. Error kInvalid for a
// value that its target cannot hold.
Reading read_words(const CommandSpec& program, const std::vector<std::string>& args);

// The commands as a user types them, without the words of the last: "tidemark pipeline NAME drop".
std::string typed(const NamedCommands& named);

}  // namespace tidemark::cli
