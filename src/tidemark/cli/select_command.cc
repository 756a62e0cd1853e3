#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/commands.h"
#include "tidemark/cli/find_plugin.h"
#include "tidemark/cli/project_access.h"
#include "tidemark/cli/run_options.h"
#include "tidemark/cli/run_session.h"
#include "tidemark/cli/selection_text.h"
#include "tidemark/json/write.h"
#include "tidemark/os/files.h"
#include "tidemark/project/plugin_settings.h"
#include "tidemark/project/setting_store.h"
#include "tidemark/runner/run_directory.h"
#include "tidemark/runner/tap_catalog.h"
#include "tidemark/singer/catalog.h"

namespace tidemark::cli {
namespace {

using project::Plugin;

constexpr std::string_view kSelect = "_select";

std::vector<std::string> patterns_of(const project::LayeredSettings& settings) {
  const config::Node patterns = settings.find(kSelect).value;
  return patterns.is_null() ? std::vector<std::string>() : patterns.strings();
}

std::vector<singer::PropertySelection> selections_of(const runner::RunContext& context,
                                                     const runner::PreparedPlugin& tap,
                                                     bool is_refreshed) {
  try {
    const auto catalog = runner::write_catalog(context, tap, {}, is_refreshed);
    if (!catalog) {
      throw Error(ErrorCode::kNotFound, fmt::format("{} has no catalog", tap.plugin.label()));
    }
    return singer::Catalog::read(os::read_file(*catalog)).selections();
  } catch (Error& error) {
    error.add_context("Cannot list the selected properties");
    throw;
  }
}

ExitCode list(const Console& console, const project::Project& project, const Plugin& tap,
              const SelectArguments& arguments) {
  RunSession session(console, project, std::nullopt);
  const runner::RunContext context = session.context();
  if (install_for_run(context, {tap}, arguments.install)) return kDone;
  const auto directory =
      runner::RunDirectory::make(project.system_directory(), context.clock, context.random);
  const runner::PreparedPlugin prepared = runner::prepare_plugin(
      context, tap, directory->make_folder("plugin"), config::Node::map({}), {});
  const auto selections = selections_of(context, prepared, arguments.refresh_catalog);
  const std::vector<std::string> patterns = patterns_of(prepared.settings);
  console.result(console.is_json() ? json::write_python_pretty(
                                         selection_json(patterns, selections, arguments.all))
                                   : selection_text(patterns, selections, arguments.all));
  return kDone;
}

void change(const Console& console, const project::Project& project, const Plugin& tap,
            const SelectArguments& arguments) {
  const project::LayeredSettings settings = project::plugin_settings(project, tap);
  project::ProjectWriter files = open_writer(console, project);
  project::SettingWriter writer(project, &tap, settings, files);
  const std::string name(kSelect);
  const std::string pattern =
      fmt::format("{}{}.{}", arguments.exclude ? "!" : "", arguments.streams, arguments.properties);
  if (arguments.clear) {
    writer.unset(name, project::SettingStore::kProjectFile);
  } else if (!arguments.remove) {
    writer.append(name, pattern);
  } else if (!writer.remove_item(name, pattern)) {
    throw Error(ErrorCode::kNotFound,
                fmt::format("the pattern '{}' is not in the list `select` of {}; 'tidemark select "
                            "{} --list' shows what is",
                            pattern, tap.label(), tap.name()));
  }
}

}  // namespace

ExitCode run_select(const Console& console, const SelectArguments& arguments) {
  const project::Project project = open_project(console, project::EnvironmentUse::kExplicit);
  const Plugin tap = find_plugin(project, arguments.extractor, project::PluginType::kExtractors);
  const bool only_shows = (arguments.list || console.is_json()) && !arguments.clear;
  if (only_shows) return list(console, project, tap, arguments);
  change(console, project, tap, arguments);
  return kDone;
}

}  // namespace tidemark::cli
