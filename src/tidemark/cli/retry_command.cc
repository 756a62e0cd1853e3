#include <fmt/format.h>

#include "tidemark/cli/commands.h"
#include "tidemark/cli/pipeline_target.h"

namespace tidemark::cli {

ExitCode retry(const Console& console, std::string_view pipeline) {
  Progress progress(console);
  pipeline::Pipeline opened(find_pipeline(console, pipeline), runtime(console, &progress));
  const pipeline::RunResult result = opened.retry();
  if (result.loads.empty() && !console.is_json()) {
    console.result(fmt::format("The pipeline {} has no pending packages", pipeline));
    return kDone;
  }
  return show_loads(console, result.loads);
}

}  // namespace tidemark::cli
