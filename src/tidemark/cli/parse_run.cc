#include <memory>

#include "tidemark/cli/parse_commands.h"

namespace tidemark::cli {

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
          .result = [run] { return *run; }};
}

}  // namespace tidemark::cli
