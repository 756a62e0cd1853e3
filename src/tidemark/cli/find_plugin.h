#pragma once

#include <optional>
#include <string>

#include "tidemark/project/plugin.h"
#include "tidemark/project/project.h"

namespace tidemark::cli {

// The project's plugin of that name, of that type when there is one. Error kNotFound names the
// nearest one.
project::Plugin find_plugin(const project::Project& project, const std::string& name,
                            std::optional<project::PluginType> type);

// Error kInvalid for a name that no plugin can have: it is a part of state IDs, and a folder's
// name.
void check_plugin_name(const std::string& name);

}  // namespace tidemark::cli
