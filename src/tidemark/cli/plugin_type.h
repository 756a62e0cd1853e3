#pragma once

#include <optional>
#include <string>

#include "tidemark/project/plugin.h"

namespace tidemark::cli {

// The type that `--plugin-type` names, in singular or plural; nothing for an empty word. Error
// kInvalid says which there are.
std::optional<project::PluginType> read_plugin_type(const std::string& word);

}  // namespace tidemark::cli
