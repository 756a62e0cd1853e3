#pragma once

#include <string>

#include "tidemark/cli/arguments.h"
#include "tidemark/cli/console.h"
#include "tidemark/json/value.h"
#include "tidemark/project/plugin.h"

namespace tidemark::cli {

// What `add` writes into the project file for a plugin: the keys of a definition in the order in
// which Meltano has them.

// Of a file or an http address, YAML or JSON. What is no part of a definition is left out. Error
// kInvalid when name or namespace is missing.
json::Object read_definition(const Console& console, const std::string& place);

// Of what flags and answers say. Whatever no flag says is asked for, and --yes takes what stands in
// brackets. Error kInvalid at the end of the answers names the flag.
json::Object ask_for_definition(const Console& console, project::PluginType type,
                                const std::string& name, const CustomPlugin& given);

}  // namespace tidemark::cli
