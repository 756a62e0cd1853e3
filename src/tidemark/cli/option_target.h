#pragma once

#include <string>
#include <vector>

#include "tidemark/cli/command_spec.h"

namespace tidemark::cli {

// Puts the words that an option was given into its target. Error kInvalid names the option.
void fill(const OptionSpec& option, const std::vector<std::string>& words);

// Shown behind the option's name in a help text: "TEXT", "json|csv", "N".
std::string value_name(const OptionSpec& option);

bool is_positional(const OptionSpec& option);

}  // namespace tidemark::cli
