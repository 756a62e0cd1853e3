#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/datetime.h"
#include "tidemark/base/error.h"
#include "tidemark/cli/commands.h"
#include "tidemark/cli/find_plugin.h"
#include "tidemark/cli/project_access.h"
#include "tidemark/cli/run_options.h"
#include "tidemark/cli/run_session.h"
#include "tidemark/project/blocks.h"
#include "tidemark/runner/block_line.h"
#include "tidemark/runner/dump.h"
#include "tidemark/runner/run_directory.h"

namespace tidemark::cli {
namespace {

using project::PluginType;

std::string state_id_of(const Console& console, const ElArguments& arguments) {
  if (arguments.state_id) return *arguments.state_id;
  const CliContext& context = console.context();
  for (const char* name : {"TIDEMARK_STATE_ID", "MELTANO_STATE_ID"}) {
    if (const std::string* id = context.environment->find_not_empty(name)) return *id;
  }
  // `2026-11-30T12:43:34`, the colons left out.
  const std::string time = format_iso(context.clock->now());
  const std::string id = fmt::format("{}{}{}--{}--{}", time.substr(0, 13), time.substr(14, 2),
                                     time.substr(17, 2), arguments.extractor, arguments.loader);
  console.warning(fmt::format(
      "No state ID provided. Using an ephemeral state ID '{}'. Incremental replication state will "
      "not be reused between runs. To persist state across runs, pass `--state-id=<your_id>`.",
      id));
  return id;
}

// What flags say instead of the tap's extras.
config::Node tap_overrides(const ElArguments& arguments) {
  std::vector<config::Node::Member> members;
  std::vector<config::Node> filter;
  filter.reserve(arguments.select.size() + arguments.exclude.size());
  for (const std::string& pattern : arguments.select) {
    filter.push_back(config::Node::scalar(pattern));
  }
  for (const std::string& pattern : arguments.exclude) {
    filter.push_back(config::Node::scalar("!" + pattern));
  }
  if (!filter.empty()) members.push_back({"_select_filter", config::Node::list(std::move(filter))});
  if (arguments.catalog) members.push_back({"_catalog", config::Node::scalar(*arguments.catalog)});
  if (arguments.state) members.push_back({"_state", config::Node::scalar(*arguments.state)});
  return config::Node::map(std::move(members));
}

// What is to run: the set, and the commands of the transformer behind it or in its place.
std::vector<project::Block> blocks_of(const project::Project& project, const project::BlockSet& set,
                                      const std::string& transform) {
  std::vector<project::Block> blocks;
  if (transform != "only") blocks.emplace_back(set);
  if (transform != "run" && transform != "only") return blocks;
  const project::Plugin dbt = find_plugin(project, "dbt", PluginType::kTransformers);
  for (const char* command : {"clean", "deps", "run"}) {
    blocks.emplace_back(project::CommandBlock{dbt, command});
  }
  return blocks;
}

runner::DumpedFile dumped_file(const std::string& word) {
  if (word == "catalog") return runner::DumpedFile::kCatalog;
  if (word == "state") return runner::DumpedFile::kState;
  return word == "extractor-config" ? runner::DumpedFile::kExtractorConfig
                                    : runner::DumpedFile::kLoaderConfig;
}

ExitCode dump(const Console& console, const runner::RunContext& context,
              const runner::LineStores& stores, const project::BlockSet& set,
              const runner::LineOptions& options, const std::string& word) {
  const auto directory =
      runner::RunDirectory::make(context.project.system_directory(), context.clock, context.random);
  const auto start = runner::stored_state(*stores.backend.states, *options.state_id);
  console.result(runner::dump(context, *directory, set, start, options.set, dumped_file(word)));
  return kDone;
}

}  // namespace

ExitCode el(const Console& console, const ElArguments& given) {
  const project::Project project =
      open_project(console, project::EnvironmentUse::kExplicitOrDefault);
  const project::BlockSet set{find_plugin(project, given.extractor, PluginType::kExtractors),
                              {},
                              find_plugin(project, given.loader, PluginType::kLoaders)};
  const std::vector<project::Block> blocks = blocks_of(project, set, given.transform);
  if (!given.transform.empty()) {
    console.warning("The `elt` command is deprecated in favor of `el`");
  }
  ElArguments arguments = given;
  add_run_variables(console.context(), arguments.plugins, arguments.full_refresh);
  runner::LineOptions options = line_options(console, arguments.plugins, arguments.full_refresh);
  options.state_id = state_id_of(console, arguments);
  options.set.tap_overrides = tap_overrides(arguments);
  RunSession session(console, project, std::nullopt);
  const runner::RunContext context = session.context();
  if (arguments.dry) {
    runner::describe_line(context.log, blocks);
    return kDone;
  }
  RunStores opened(console, context, arguments.plugins.store);
  const runner::LineStores stores = opened.stores();
  if (install_for_run(context, project::plugins_of(blocks), arguments.plugins.install))
    return kDone;
  if (!arguments.dump.empty()) return dump(console, context, stores, set, options, arguments.dump);
  const auto failure = runner::run_line(context, blocks, options, stores, {});
  return failure ? exit_code(failure->code(), console.context().cancellation->signal()) : kDone;
}

}  // namespace tidemark::cli
