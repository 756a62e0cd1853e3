#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/os/environment.h"
#include "tidemark/project/plugin.h"

namespace tidemark::project {

// An entry of a plugin's `commands:`.
struct PluginCommand {
  std::string name;
  std::string arguments = {};                  // as they are written
  std::optional<std::string> executable = {};  // another program than the plugin's
  std::string description = {};
};

// The plugin's commands and those it inherits, in the order of the definition.
std::vector<PluginCommand> commands_of(const Plugin& plugin);

// Error kNotFound says which there are.
PluginCommand find_command(const Plugin& plugin, std::string_view name);

// The words of its arguments, with variables in their place. Error kInvalid for one of which
// nothing is left.
std::vector<std::string> command_arguments(const PluginCommand& command,
                                           const os::Environment& environment);

}  // namespace tidemark::project
