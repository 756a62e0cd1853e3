#pragma once

#include <string>

#include "tidemark/cli/config_target.h"

namespace tidemark::cli {

// `config print`: the settings that have a value, as JSON with maps in maps or as lines of a .env
// file under the names in which plugins get them. Of Meltano's own, and of extras in JSON, all.
std::string config_print_text(const ConfigTarget& target, const ConfigPrintArguments& arguments);

}  // namespace tidemark::cli
