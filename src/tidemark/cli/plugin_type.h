#pragma once

#include <optional>
#include <string>

#include "tidemark/project/plugin.h"

namespace tidemark::cli {

// The type that `--plugin-type` names, in singular or plural; nothing for an empty word. Error
// kInvalid says which there are.
std::optional<project::PluginType> read_plugin_type(const std::string& word);

// The type that `add` and `remove` take a name for: `tap-x` is an extractor, `target-x` a loader,
// any other a utility; or the type that the word names, as above.
project::PluginType plugin_type_of(const std::string& name, const std::string& word);

}  // namespace tidemark::cli
