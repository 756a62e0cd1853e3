#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/base/uuid.h"
#include "tidemark/cli/install_options.h"
#include "tidemark/cli/parse_commands.h"

namespace tidemark::cli {

namespace {

void check(const PluginRunOptions& options, bool is_full_refresh) {
  if (options.require_state && is_full_refresh) {
    throw Error(ErrorCode::kInvalid,
                "--require-state forbids what --full-refresh asks for: to load everything");
  }
  if (options.run_id && !read_uuid(*options.run_id)) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("--run-id: {} is not a valid UUID", *options.run_id));
  }
  const std::string& strategy = options.state_strategy;
  if (!strategy.empty() && strategy != "auto" && strategy != "merge" && strategy != "overwrite") {
    throw Error(ErrorCode::kInvalid,
                fmt::format("--state-strategy: {} is not one of auto, merge, overwrite", strategy));
  }
  if (options.merge_state && !strategy.empty() && strategy != "auto") {
    throw Error(ErrorCode::kInvalid, "Cannot use both --merge-state and --state-strategy");
  }
}

void check(const RunArguments& run) {
  const PipelineRunOptions& pipeline = run.pipeline;
  if (pipeline.from.has_value() != pipeline.to.has_value()) {
    throw Error(ErrorCode::kInvalid,
                "--from and --to go together: without an end a run moves the cursors on");
  }
  if (pipeline.from && (run.full_refresh || !pipeline.refresh.empty())) {
    throw Error(ErrorCode::kInvalid,
                "--from and --to read a part again, and a refresh drops all of it");
  }
  if (run.timeout == 0) {
    throw Error(ErrorCode::kInvalid, "--timeout: a run needs a second at the least");
  }
  check(run.plugins, run.full_refresh);
}

std::vector<OptionSpec> pipeline_options(RunArguments& run) {
  PipelineRunOptions& options = run.pipeline;
  return {
      {"--select", CommaSeparated{&options.select},
       "Pipelines: only these resources, separated by commas"},
      {"--limit-pages", &options.limit_pages,
       "Pipelines: at most so many pages of each resource; for trying out"},
      {"--from", &options.from,
       "Pipelines: read the cursors' values from here up to --to again; no cursor moves"},
      {"--to", &options.to, "Pipelines: the first value behind them"},
      {.names = "--refresh",
       .target = &options.refresh,
       .help = "Pipelines: what to drop first",
       .choices = {"drop_sources", "drop_resources", "drop_data"},
       .excludes = "--full-refresh"},
      {"--dev-mode", &options.dev_mode,
       "Pipelines: load into a new dataset with a time in its name"},
  };
}

std::vector<OptionSpec> plugin_options(PluginRunOptions& options) {
  std::vector<OptionSpec> specs{
      {"--refresh-catalog", &options.refresh_catalog, "Plugins: ask the tap for its catalog again"},
      {"--no-state-update", &options.no_state_update,
       "Plugins: start from the state that is stored and write none"},
      {"--require-state", &options.require_state,
       "Plugins: run nothing unless a state is stored to start from"},
      {"-f,--force", &options.force,
       "Plugins: run although a record in the system database says that it is under way"},
      {"--observe", &options.observe,
       "Plugins: count what passes between them, and log it while they run"},
      {"--state-id-suffix", &options.state_id_suffix, "Plugins: the end of the state ID"},
      {"--state-strategy", &options.state_strategy,
       "Plugins: whether a new state replaces the stored one or is merged into it: auto, merge, "
       "overwrite"},
      {"--merge-state", &options.merge_state, "Plugins: as --state-strategy=merge; deprecated"},
      {"--run-id", &options.run_id, "Plugins: a UUID for the run"},
      {"--state-backend-uri", &options.store.state_backend_uri,
       "Plugins: the store of the states instead of what settings say"},
      {"--database-uri", &options.store.database_uri, "Plugins: the system database"},
  };
  for (OptionSpec& option : install_options(options.install)) specs.push_back(std::move(option));
  return specs;
}

}  // namespace

CommandSpec run_spec() {
  auto run = std::make_shared<RunArguments>();
  std::vector<OptionSpec> options{
      {.names = "BLOCK",
       .target = AllThatFollow{&run->blocks},
       .help = "A pipeline, a job, a tap with mappers and a target, or PLUGIN:COMMAND",
       .is_required = true,
       .thing = NamedThing::kBlock},
      {"--full-refresh", &run->full_refresh,
       "Load everything again: a pipeline drops tables and state of its selected resources "
       "first, a tap gets no state"},
      {"--dry-run", &run->dry_run, "Check the project and say what would run"},
      {"--timeout", &run->timeout, "Plugins: stop after so many seconds"},
  };
  for (OptionSpec& option : plugin_options(run->plugins)) options.push_back(std::move(option));
  for (OptionSpec& option : pipeline_options(*run)) options.push_back(std::move(option));
  return {.name = "run",
          .help = "Run what the project has: pipelines, taps and targets, jobs, commands",
          .options = std::move(options),
          .result = [run] {
            check(*run);
            return *run;
          }};
}

namespace {

std::vector<OptionSpec> el_options(ElArguments& el) {
  std::vector<OptionSpec> options{
      {.names = "EXTRACTOR",
       .target = &el.extractor,
       .help = "The tap",
       .is_required = true,
       .thing = NamedThing::kPlugin},
      {.names = "LOADER",
       .target = &el.loader,
       .help = "The target",
       .is_required = true,
       .thing = NamedThing::kPlugin},
      {.names = "--state-id",
       .target = &el.state_id,
       .help = "Where the state is kept; without one it is not found again",
       .thing = NamedThing::kStateId},
      {"--full-refresh", &el.full_refresh, "Load everything again: the tap gets no state"},
      {"-s,--select", Repeated{&el.select}, "Only streams that match"},
      {"-e,--exclude", Repeated{&el.exclude}, "No streams that match"},
      {"--catalog", &el.catalog, "A catalog file instead of the tap's own"},
      {"--state", &el.state, "A state file to start from"},
      {"--dry", &el.dry, "Check the project and say what would run"},
      {.names = "--dump",
       .target = &el.dump,
       .help = "Print a file that the plugins would get, and run nothing",
       .choices = {"catalog", "state", "extractor-config", "loader-config"}},
  };
  for (OptionSpec& option : plugin_options(el.plugins)) options.push_back(std::move(option));
  return options;
}

}  // namespace

CommandSpec el_spec() {
  auto el = std::make_shared<ElArguments>();
  return {.name = "el",
          .help = "Run a tap and a target under a state ID of your own",
          .options = el_options(*el),
          .result = [el] {
            check(el->plugins, el->full_refresh);
            return *el;
          }};
}

CommandSpec elt_spec() {
  auto elt = std::make_shared<ElArguments>();
  elt->transform = "skip";
  std::vector<OptionSpec> options = el_options(*elt);
  options.push_back({.names = "--transform",
                     .target = &elt->transform,
                     .help = "Whether the transformer dbt runs too; skip unless it says otherwise",
                     .choices = {"skip", "run", "only"}});
  return {
      .name = "elt", .help = "As el; deprecated", .options = std::move(options), .result = [elt] {
        check(elt->plugins, elt->full_refresh);
        return *elt;
      }};
}

}  // namespace tidemark::cli
