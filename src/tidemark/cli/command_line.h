#pragma once

#include <string>
#include <vector>

#include "tidemark/cli/command_spec.h"

namespace tidemark::cli {

// Reads the words behind the program's name into the targets of the commands they name, and returns
// what the innermost one makes. An option is taken at any place behind the command it belongs to,
// its name with underscores for hyphens too. --help, --version and everything that is wrong are an
// Answer.
Command parse_command_line(const CommandSpec& program, const std::vector<std::string>& args);

}  // namespace tidemark::cli
