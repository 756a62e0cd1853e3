#include <memory>

#include "tidemark/base/error.h"
#include "tidemark/cli/parse_commands.h"

namespace tidemark::cli {

namespace {

void check(const RunArguments& run) {
  if (run.from.has_value() != run.to.has_value()) {
    throw Error(ErrorCode::kInvalid,
                "--from and --to go together: without an end a run moves the cursors on");
  }
  if (run.from && (run.full_refresh || !run.refresh.empty())) {
    throw Error(ErrorCode::kInvalid,
                "--from and --to read a part again, and a refresh drops all of it");
  }
}

}  // namespace

CommandSpec run_spec() {
  auto run = std::make_shared<RunArguments>();
  return {.name = "run",
          .help = "Run a pipeline of the project",
          .options =
              {
                  {.names = "PIPELINE",
                   .target = &run->pipeline,
                   .help = "Name of a pipeline in tidemark.yml",
                   .is_required = true},
                  {"--select", CommaSeparated{&run->select},
                   "Only these resources, separated by commas"},
                  {"--limit-pages", &run->limit_pages,
                   "At most so many pages of each resource; for trying out"},
                  {"--from", &run->from,
                   "Read the cursors' values from here up to --to again; no cursor moves"},
                  {"--to", &run->to, "The first value behind them"},
                  {"--full-refresh", &run->full_refresh,
                   "Drop tables and state of the selected resources and load them again"},
                  {.names = "--refresh",
                   .target = &run->refresh,
                   .help = "What to drop first",
                   .choices = {"drop_sources", "drop_resources", "drop_data"},
                   .excludes = "--full-refresh"},
                  {"--dev-mode", &run->dev_mode, "Load into a new dataset with a time in its name"},
                  {"--dry-run", &run->dry_run, "Check the project and say what would run"},
              },
          .result = [run] {
            check(*run);
            return *run;
          }};
}

}  // namespace tidemark::cli
