#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "tidemark/cli/commands.h"
#include "tidemark/cli/pipeline_target.h"
#include "tidemark/cli/progress.h"
#include "tidemark/cli/show_loads.h"

namespace tidemark::cli {

ExitCode retry(const Console& console, std::string_view pipeline) {
  const PipelineTarget target = find_pipeline(console, pipeline);
  std::vector<info::LoadInfo> loads;
  {
    Progress progress(console);
    loads = pipeline::Pipeline(target.options, runtime(console, target, &progress)).retry();
  }
  const bool was_idle =
      std::ranges::all_of(loads, [](const info::LoadInfo& load) { return load.is_empty(); });
  if (was_idle && !console.is_json()) {
    console.result(fmt::format("The pipeline {} has no pending packages", pipeline));
    return kDone;
  }
  return show_loads(console, loads);
}

}  // namespace tidemark::cli
