#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/commands.h"
#include "tidemark/cli/plugin_type.h"
#include "tidemark/cli/project_access.h"
#include "tidemark/cli/run_session.h"
#include "tidemark/config/nearest.h"
#include "tidemark/runner/install.h"

namespace tidemark::cli {
namespace {

using project::Plugin;

// A mapping is no plugin of its own.
std::vector<Plugin> plugins_of(const project::Project& project,
                               std::optional<project::PluginType> type) {
  std::vector<Plugin> plugins;
  for (const std::string& name : Plugin::names(project.document(), type)) {
    auto plugin = Plugin::find(project.document(), project.root(), name, type);
    if (plugin && plugin->name() == name) plugins.push_back(*std::move(plugin));
  }
  return plugins;
}

std::vector<Plugin> chosen(std::vector<Plugin> all, const std::vector<std::string>& names) {
  if (names.empty()) return all;
  std::vector<Plugin> plugins;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(all, name, &Plugin::name);
    if (found == all.end()) {
      std::vector<std::string_view> known;
      known.reserve(all.size());
      for (const Plugin& plugin : all) known.push_back(plugin.name());
      throw Error(ErrorCode::kNotFound, fmt::format("the project has no plugin '{}'{}", name,
                                                    config::suggestion(name, known)));
    }
    plugins.push_back(*found);
  }
  return plugins;
}

size_t parallelism_of(const InstallArguments& arguments) {
  const size_t cores = std::max(1U, std::thread::hardware_concurrency());
  return arguments.parallelism ? static_cast<size_t>(*arguments.parallelism) : cores;
}

}  // namespace

ExitCode install(const Console& console, const InstallArguments& arguments) {
  const project::Project project = open_project(console, project::EnvironmentUse::kNone);
  const std::vector<Plugin> plugins =
      chosen(plugins_of(project, read_plugin_type(arguments.plugin_type)), arguments.plugins);
  RunSession session(console, project, std::nullopt);
  const size_t failed = runner::install(session.context(), plugins,
                                        {.is_clean = arguments.clean,
                                         .ignores_python_version = arguments.force,
                                         .parallelism = parallelism_of(arguments)});
  return failed == 0 ? kDone : kFailed;
}

}  // namespace tidemark::cli
