#pragma once

#include <string>
#include <vector>

#include "tidemark/cli/context.h"

namespace tidemark::cli {

// The program: does what the arguments (without the program's name) say and returns its exit code.
// Throws nothing.
int run_cli(const std::vector<std::string>& args, const CliContext& context);

}  // namespace tidemark::cli
