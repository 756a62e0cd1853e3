#pragma once

#include <string>

#include "tidemark/cli/config_target.h"

namespace tidemark::cli {

// `config list`: every setting with its variables, default, value and origin, in Meltano's
// sections.
std::string config_list_text(const ConfigTarget& target, const ConfigListArguments& arguments);

// The same settings as JSON, each with the file and line its value stands at.
json::Value config_list_json(const ConfigTarget& target, const ConfigListArguments& arguments);

}  // namespace tidemark::cli
