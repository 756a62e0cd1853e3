#include <fmt/format.h>

#include "tidemark/cli/commands.h"
#include "tidemark/cli/operate.h"
#include "tidemark/cli/pipeline_target.h"
#include "tidemark/cli/show_loads.h"

namespace tidemark::cli {

ExitCode retry(const Console& console, std::string_view pipeline) {
  const PipelineTarget target = find_pipeline(console, pipeline);
  const auto loads =
      operate(console, target, [](pipeline::Pipeline& opened) { return opened.retry(); });
  if (is_nothing_new(loads) && !console.is_json()) {
    console.result(fmt::format("The pipeline {} has no pending packages", pipeline));
    return kDone;
  }
  return show_loads(console, loads);
}

}  // namespace tidemark::cli
