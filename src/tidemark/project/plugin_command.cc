#include "tidemark/project/plugin_command.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tidemark/base/error.h"
#include "tidemark/config/expand.h"
#include "tidemark/project/shell_words.h"

namespace tidemark::project {
namespace {

using config::Node;

PluginCommand read_command(const Node::Member& member) {
  PluginCommand command{.name = member.key};
  if (!member.value.is_map()) {
    command.arguments = member.value.string();
    return command;
  }
  command.arguments = member.value.optional_string("args").value_or("");
  command.executable = member.value.optional_string("executable");
  command.description = member.value.optional_string("description").value_or("");
  return command;
}

}  // namespace

std::vector<PluginCommand> commands_of(const Plugin& plugin) {
  std::vector<PluginCommand> commands;
  for (const Node& layer : plugin.layers("commands")) {
    for (const Node::Member& member : layer.members()) {
      const auto same = std::ranges::find(commands, member.key, &PluginCommand::name);
      if (same == commands.end()) {
        commands.push_back(read_command(member));
      } else {
        *same = read_command(member);
      }
    }
  }
  return commands;
}

PluginCommand find_command(const Plugin& plugin, std::string_view name) {
  const std::vector<PluginCommand> commands = commands_of(plugin);
  const auto found = std::ranges::find(commands, name, &PluginCommand::name);
  if (found != commands.end()) return *found;
  std::vector<std::string> names;
  names.reserve(commands.size());
  for (const PluginCommand& command : commands) names.push_back(command.name);
  throw Error(ErrorCode::kNotFound,
              fmt::format("Command '{}' could not be found. {} {}", name, plugin.label(),
                          names.empty() ? "does not define any commands"
                                        : fmt::format("supports the following commands: {}",
                                                      fmt::join(names, ", "))));
}

std::vector<std::string> command_arguments(const PluginCommand& command,
                                           const os::Environment& environment) {
  std::vector<std::string> arguments;
  for (const std::string& word : split_words(command.arguments)) {
    const Node expanded =
        config::expand(Node::scalar(word), environment, config::MissingVariable::kEmpty);
    if (expanded.string().empty() && !word.empty()) {
      throw Error(ErrorCode::kInvalid,
                  fmt::format("Command '{}' refers to {}, which is not set", command.name, word));
    }
    arguments.push_back(expanded.string());
  }
  return arguments;
}

}  // namespace tidemark::project
