#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/commands.h"
#include "tidemark/cli/plugin_type.h"
#include "tidemark/cli/project_access.h"
#include "tidemark/cli/run_options.h"
#include "tidemark/cli/run_session.h"
#include "tidemark/os/files.h"
#include "tidemark/project/plugin_command.h"
#include "tidemark/runner/invoke.h"

namespace tidemark::cli {
namespace {

using project::Plugin;

// `plugin:command` with exactly one colon; else the whole word is the plugin's name.
runner::Invocation find_invocation(const project::Project& project,
                                   const InvokeArguments& arguments) {
  const std::string& word = arguments.plugin;
  const size_t colon = word.find(':');
  const bool has_command = colon != std::string::npos && colon == word.rfind(':');
  const std::string name = has_command ? word.substr(0, colon) : word;
  auto plugin = Plugin::find(project.document(), project.root(), name,
                             read_plugin_type(arguments.plugin_type));
  if (!plugin) {
    throw Error(ErrorCode::kNotFound, fmt::format("Plugin '{}' is not known to the project", name));
  }
  runner::Invocation invocation{*std::move(plugin)};
  if (has_command) invocation.command = word.substr(colon + 1);
  invocation.words = arguments.words;
  invocation.refreshes_catalog = arguments.refresh_catalog;
  return invocation;
}

void list_commands(const Console& console, const Plugin& plugin) {
  const std::vector<project::PluginCommand> commands = project::commands_of(plugin);
  if (commands.empty()) {
    console.result(fmt::format("{} does not define any commands.", plugin.label()));
    return;
  }
  size_t width = 0;
  const auto shown = [&](const project::PluginCommand& command) {
    return fmt::format("{}:{}", plugin.name(), command.name);
  };
  for (const auto& command : commands) width = std::max(width, shown(command).size());
  std::string text;
  for (const auto& command : commands) {
    std::string line = fmt::format("{:<{}}  {}", shown(command), width, command.description);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  console.result(text);
}

void print_variables(const Console& console, const os::Environment& environment,
                     const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const std::string* value = environment.find(name);
    console.result(fmt::format("{}={}", name, value != nullptr ? *value : "None"));
  }
}

ExitCode dump(const Console& console, const runner::InvokedPlugin& invoked,
              const std::string& word) {
  if (word == "config") {
    console.result(os::read_file(invoked.prepared.config_file));
    return kDone;
  }
  if (!invoked.catalog) {
    throw Error(ErrorCode::kNotFound, fmt::format("Could not dump catalog: {} has none",
                                                  invoked.prepared.plugin.label()));
  }
  console.result(os::read_file(*invoked.catalog));
  return kDone;
}

}  // namespace

ExitCode invoke(const Console& console, const InvokeArguments& arguments) {
  const project::Project project =
      open_project(console, project::EnvironmentUse::kExplicitOrDefault);
  runner::Invocation invocation = find_invocation(project, arguments);
  if (arguments.list_commands) {
    list_commands(console, invocation.plugin);
    return kDone;
  }
  RunSession session(console, project, std::nullopt);
  const runner::RunContext run = session.context();
  const auto directory =
      runner::RunDirectory::make(project.system_directory(), run.clock, run.random);
  if (!arguments.dump.empty()) {
    invocation.words.clear();
    const runner::InvokedPlugin invoked = runner::prepare_invocation(run, *directory, invocation);
    print_variables(console, invoked.prepared.environment, arguments.print_var);
    return dump(console, invoked, arguments.dump);
  }
  if (!arguments.print_var.empty()) {
    const runner::PreparedPlugin prepared = runner::prepare_plugin(
        run, invocation.plugin, directory->make_folder("variables"), config::Node::map({}), {});
    print_variables(console, prepared.environment, arguments.print_var);
  }
  const os::ChildEnd end = runner::invoke(run, *directory, invocation);
  return static_cast<ExitCode>(end.signal != 0 ? 128 + end.signal : end.exit_code);
}

}  // namespace tidemark::cli
