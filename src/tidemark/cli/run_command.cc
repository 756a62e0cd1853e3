#include <algorithm>
#include <variant>
#include <vector>

#include "tidemark/base/error.h"
#include "tidemark/cli/commands.h"
#include "tidemark/cli/project_access.h"
#include "tidemark/cli/run_options.h"
#include "tidemark/cli/run_pipeline.h"
#include "tidemark/cli/run_session.h"
#include "tidemark/project/blocks.h"
#include "tidemark/runner/block_line.h"

namespace tidemark::cli {
namespace {

using Blocks = std::vector<project::Block>;

template <typename Kind>
bool has_block(const Blocks& blocks) {
  return std::ranges::any_of(
      blocks, [](const project::Block& block) { return std::holds_alternative<Kind>(block); });
}

bool has_plugins(const Blocks& blocks) {
  return !std::ranges::all_of(blocks, [](const project::Block& block) {
    return std::holds_alternative<project::PipelineBlock>(block);
  });
}

// An option that no block takes would be passed over in silence.
void check_options(const RunArguments& arguments, const Blocks& blocks) {
  const PipelineRunOptions& pipeline = arguments.pipeline;
  const bool is_for_pipelines = !pipeline.select.empty() || pipeline.limit_pages || pipeline.from ||
                                !pipeline.refresh.empty() || pipeline.dev_mode;
  if (is_for_pipelines && !has_block<project::PipelineBlock>(blocks)) {
    throw Error(ErrorCode::kInvalid,
                "--select, --limit-pages, --from, --to, --refresh and --dev-mode are for "
                "pipelines, and none of these words is one");
  }
  const PluginRunOptions& plugins = arguments.plugins;
  const bool is_for_plugins = plugins.refresh_catalog || plugins.no_state_update || plugins.force ||
                              plugins.observe || plugins.require_state || plugins.state_id_suffix ||
                              plugins.merge_state || !plugins.state_strategy.empty() ||
                              plugins.run_id;
  if (is_for_plugins && !has_block<project::BlockSet>(blocks)) {
    throw Error(ErrorCode::kInvalid,
                "--refresh-catalog, --no-state-update, --require-state, --force, --observe, "
                "--state-id-suffix, --state-strategy and --run-id are for taps and targets, and "
                "none of these words is one");
  }
  const bool is_for_any_plugin = arguments.timeout || plugins.install.install ||
                                 plugins.install.no_install || plugins.install.only_install ||
                                 plugins.store.state_backend_uri || plugins.store.database_uri;
  if (is_for_any_plugin && !has_plugins(blocks)) {
    throw Error(ErrorCode::kInvalid,
                "--timeout, --install, --no-install, --only-install, --state-backend-uri and "
                "--database-uri are for plugins, and none of these words is one");
  }
}

ExitCode run_blocks(const Console& console, const runner::RunContext& context, const Blocks& blocks,
                    const RunArguments& arguments) {
  RunStores stores(console, context, arguments.plugins.store);
  const std::vector<project::Plugin> plugins = project::plugins_of(blocks);
  if (install_for_run(context, plugins, arguments.plugins.install)) return kDone;
  const runner::LineOptions options =
      line_options(console, arguments.plugins, arguments.full_refresh);
  ExitCode worst = kDone;
  const auto failure = runner::run_line(
      context, blocks, options, stores.stores(), [&](const project::PipelineBlock& pipeline) {
        worst = std::max(worst, run_pipeline(console, pipeline.name, arguments));
      });
  if (!failure) return worst;
  return exit_code(failure->code(), console.context().cancellation->signal());
}

}  // namespace

ExitCode run(const Console& console, const RunArguments& given) {
  const project::Project project =
      open_project(console, project::EnvironmentUse::kExplicitOrDefault);
  const Blocks blocks = project::parse_blocks(project, given.blocks);
  check_options(given, blocks);
  if (blocks.size() == 1) {
    if (const auto* pipeline = std::get_if<project::PipelineBlock>(&blocks.front())) {
      return run_pipeline(console, pipeline->name, given);
    }
  }
  RunArguments arguments = given;
  add_run_variables(console.context(), arguments.plugins, arguments.full_refresh);
  if (!arguments.timeout) arguments.timeout = timeout_variable(console.context());
  RunSession session(console, project, arguments.timeout);
  if (arguments.dry_run) {
    runner::describe_line(session.context().log, blocks);
    return kDone;
  }
  return run_blocks(console, session.context(), blocks, arguments);
}

}  // namespace tidemark::cli
