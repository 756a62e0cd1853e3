#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/commands.h"
#include "tidemark/cli/find_plugin.h"
#include "tidemark/cli/plugin_type.h"
#include "tidemark/cli/project_access.h"
#include "tidemark/cli/run_options.h"
#include "tidemark/cli/run_session.h"
#include "tidemark/os/files.h"
#include "tidemark/project/plugin_command.h"
#include "tidemark/runner/invoke.h"
#include "tidemark/runner/run_directory.h"
#include "tidemark/runner/tap_catalog.h"

namespace tidemark::cli {
namespace {

using project::Plugin;

// `plugin:command` with exactly one colon; else the whole word is the plugin's name.
std::pair<std::string, std::optional<std::string>> split(const std::string& word) {
  const size_t colon = word.find(':');
  if (colon == std::string::npos || colon != word.rfind(':')) return {word, std::nullopt};
  return {word.substr(0, colon), word.substr(colon + 1)};
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

ExitCode dump(const Console& console, const runner::RunContext& context,
              const runner::PreparedPlugin& prepared, const InvokeArguments& arguments) {
  if (arguments.dump == "config") {
    console.result(os::read_file(prepared.config_file));
    return kDone;
  }
  std::optional<os::Path> catalog;
  if (prepared.plugin.type() == project::PluginType::kExtractors) {
    catalog = runner::write_catalog(context, prepared, {}, arguments.refresh_catalog);
  }
  if (!catalog) {
    throw Error(ErrorCode::kNotFound,
                fmt::format("Could not dump catalog: {} has none", prepared.plugin.label()));
  }
  console.result(os::read_file(*catalog));
  return kDone;
}

}  // namespace

ExitCode invoke(const Console& console, const InvokeArguments& arguments) {
  const project::Project project =
      open_project(console, project::EnvironmentUse::kExplicitOrDefault);
  const auto [name, command] = split(arguments.plugin);
  const Plugin plugin = find_plugin(project, name, read_plugin_type(arguments.plugin_type));
  if (arguments.list_commands) {
    list_commands(console, plugin);
    return kDone;
  }
  RunSession session(console, project, std::nullopt);
  const runner::RunContext context = session.context();
  if (install_for_run(context, {plugin}, arguments.install)) return kDone;
  const auto directory =
      runner::RunDirectory::make(project.system_directory(), context.clock, context.random);
  const runner::PreparedPlugin prepared = runner::prepare_plugin(
      context, plugin, directory->make_folder("plugin"), config::Node::map({}), {});
  print_variables(console, prepared.environment, arguments.print_var);
  if (!arguments.dump.empty()) return dump(console, context, prepared, arguments);
  const os::ChildEnd end = runner::invoke(context, prepared,
                                          {.command = command,
                                           .words = arguments.words,
                                           .refreshes_catalog = arguments.refresh_catalog});
  return static_cast<ExitCode>(end.signal != 0 ? 128 + end.signal : end.exit_code);
}

}  // namespace tidemark::cli
