#include "tidemark/pipeline/drop_command.h"

#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/commands.h"
#include "tidemark/cli/pipeline_target.h"
#include "tidemark/cli/show_loads.h"

namespace tidemark::cli {
namespace {

std::string list_text(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) {
    out += fmt::format("{}'{}'", out.empty() ? "" : ", ", name);
  }
  return fmt::format("[{}]", out);
}

std::string plan_text(const pipeline::DropPlan& plan, std::string_view dataset,
                      std::string_view destination) {
  return fmt::format(
      "About to drop the following data in dataset {} in destination {}:\n"
      "Selected schema: {}\n"
      "Selected resource(s): {}\n"
      "Table(s) to drop: {}\n"
      "\twith data in destination: {}\n"
      "Resource(s) state to reset: {}\n"
      "Source state path(s) to reset: {}\n",
      dataset, destination, plan.schema_name, list_text(plan.resources), list_text(plan.tables),
      list_text(plan.tables_with_data), list_text(plan.resource_states),
      list_text(plan.state_paths));
}

}  // namespace

ExitCode drop(const Console& console, std::string_view pipeline, const DropArguments& arguments) {
  const PipelineTarget target =
      find_pipeline(console, pipeline, {arguments.destination, arguments.dataset});
  pipeline::Pipeline opened(target.options, runtime(console, target, nullptr));
  const std::string location = target.options.destination->location();
  auto confirm = [&](const pipeline::DropPlan& plan) {
    for (const std::string& warning : plan.warnings) {
      console.warning(warning);
    }
    console.note(plan_text(plan, opened.dataset(), location));
    console.confirm("Do you want to apply these changes?");
    return true;
  };
  const auto load = opened.drop({.resources = arguments.resources,
                                 .all = arguments.drop_all,
                                 .state_paths = arguments.state_paths,
                                 .state_only = arguments.state_only},
                                arguments.schema.value_or(""), confirm);
  if (!load) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("there is nothing to drop; 'tidemark pipeline -v {} info' shows the "
                            "resources and their state",
                            pipeline));
  }
  return show_loads(console, {*load});
}

}  // namespace tidemark::cli
