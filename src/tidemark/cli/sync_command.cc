#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/commands.h"
#include "tidemark/cli/pipeline_target.h"
#include "tidemark/json/write.h"

namespace tidemark::cli {

ExitCode sync(const Console& console, std::string_view pipeline, const SyncArguments& arguments) {
  const PipelineTarget target =
      find_pipeline(console, pipeline, {arguments.destination, arguments.dataset});
  console.confirm(
      "About to drop the local state of the pipeline and all its schemas and take them from the "
      "destination again. State, data and schemas there are left as they are. Proceed?");
  const std::string location = target.options.destination->location();
  pipeline::Pipeline opened(target.options, runtime(console, target, nullptr));
  if (!opened.sync()) {
    throw Error(ErrorCode::kNotFound,
                fmt::format("the pipeline {} was not found in dataset {} of {}", pipeline,
                            opened.dataset(), location));
  }
  if (console.is_json()) {
    console.result(json::write(
        json::Object{{"pipeline_name", pipeline}, {"synced", true}, {"destination", location}}));
  } else {
    console.result(
        fmt::format("State and schemas of {} were restored from {}", pipeline, location));
  }
  return kDone;
}

}  // namespace tidemark::cli
