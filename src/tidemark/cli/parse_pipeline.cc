#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "tidemark/base/error.h"
#include "tidemark/cli/parse_commands.h"

namespace tidemark::cli {
namespace {

// The words between `pipeline` and the verb.
struct Named {
  std::string pipeline;
  bool list_pipelines = false;

  Command with(PipelineVerb verb) const {
    if (pipeline.empty() || list_pipelines) {
      return ListArguments{};
    }
    return PipelineArguments{pipeline, std::move(verb)};
  }
};
using NamedPtr = std::shared_ptr<Named>;

template <typename Verb>
CommandSpec plain_verb(const NamedPtr& named, std::string_view name, std::string_view help) {
  return {.name = std::string(name), .help = std::string(help), .result = [named] {
            return named->with(Verb{});
          }};
}

CommandSpec load_package_spec(const NamedPtr& named) {
  auto verb = std::make_shared<LoadPackageArguments>();
  return {.name = "load-package",
          .help = "A load package, the newest by default",
          .options = {{"LOAD_ID", &verb->load_id, "As 'info' lists them"}},
          .result = [named, verb] { return named->with(*verb); }};
}

CommandSpec schema_spec(const NamedPtr& named) {
  auto verb = std::make_shared<SchemaArguments>();
  return {.name = "schema",
          .help = "The default schema",
          .options = {{.names = "--format",
                       .target = &verb->format,
                       .help = "yaml unless it says otherwise",
                       .choices = {"json", "yaml"}},
                      {"--remove-defaults", &verb->remove_defaults, "Leave defaults out"}},
          .result = [named, verb] { return named->with(*verb); }};
}

CommandSpec sync_spec(const NamedPtr& named) {
  auto verb = std::make_shared<SyncArguments>();
  return {.name = "sync",
          .help = "Take state and schemas from the destination again",
          .options = {{"--destination", &verb->destination, "Where, when nothing local says so"},
                      {"--dataset-name", &verb->dataset, "Dataset, when nothing local says so"}},
          .result = [named, verb] { return named->with(*verb); }};
}

Command drop_of(const Named& named, const DropArguments& drop) {
  if (drop.resources.empty() && !drop.drop_all && drop.state_paths.empty()) {
    throw Error(ErrorCode::kInvalid,
                "say what to drop: names of resources, --drop-all or --state-paths");
  }
  return named.with(drop);
}

CommandSpec drop_spec(const NamedPtr& named) {
  auto verb = std::make_shared<DropArguments>();
  return {
      .name = "drop",
      .help = "Drop tables and state of resources, or state alone",
      .options = {{"RESOURCE", AllThatFollow{&verb->resources}, "Names of resources, or re:REGEX"},
                  {"--drop-all", &verb->drop_all, "All resources"},
                  {"--state-paths", AllThatFollow{&verb->state_paths},
                   "JSONPaths of source state to reset"},
                  {"--schema", &verb->schema, "Schema, when it is not the pipeline's default"},
                  {"--state-only", &verb->state_only,
                   "Reset the resources' state, keep their tables"},
                  {"--destination", &verb->destination, "Where, when nothing local says so"},
                  {"--dataset-name", &verb->dataset, "Dataset, when nothing local says so"}},
      .result = [named, verb] { return drop_of(*named, *verb); }};
}

CommandSpec query_spec(const NamedPtr& named) {
  auto verb = std::make_shared<QueryArguments>();
  return {.name = "query",
          .help = "Read-only SQL on the dataset",
          .options =
              {{.names = "SQL", .target = &verb->sql, .help = "The statement", .is_required = true},
               {"--csv", &verb->csv, "As CSV"}},
          .result = [named, verb] { return named->with(*verb); }};
}

}  // namespace

CommandSpec pipeline_spec() {
  auto named = std::make_shared<Named>();
  return {
      .name = "pipeline",
      .help = "Look at a pipeline, or work on its state",
      .options = {{"-l,--list-pipelines", &named->list_pipelines, "List all pipelines"},
                  {.names = "NAME",
                   .target = &named->pipeline,
                   .help = "Name of the pipeline",
                   .thing = NamedThing::kPipeline}},
      .commands =
          {
              plain_verb<InfoArguments>(named, "info",
                                        "State, resources, packages (this is the default)"),
              plain_verb<TraceArguments>(named, "trace", "The last run, step by step"),
              load_package_spec(named),
              schema_spec(named),
              sync_spec(named),
              drop_spec(named),
              plain_verb<FailedJobsArguments>(named, "failed-jobs",
                                              "Failed jobs of all packages with their messages"),
              plain_verb<AbortPackagesArguments>(
                  named, "abort-packages", "Give pending packages up and put their cursors back"),
              plain_verb<AbortPackagesArguments>(named, "drop-pending-packages", ""),
              plain_verb<RetryArguments>(named, "retry",
                                         "Finish pending packages, extract nothing"),
              query_spec(named),
          },
      .result = [named] { return named->with(InfoArguments{}); }};
}

}  // namespace tidemark::cli
