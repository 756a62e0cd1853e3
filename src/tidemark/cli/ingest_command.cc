#include <utility>

#include <fmt/format.h>

#include "tidemark/cli/commands.h"
#include "tidemark/cli/ingest_plan.h"
#include "tidemark/cli/operate.h"
#include "tidemark/cli/pipeline_settings.h"
#include "tidemark/cli/pipeline_target.h"
#include "tidemark/cli/show_loads.h"
#include "tidemark/destination/registry.h"
#include "tidemark/source/files.h"
#include "tidemark/source/rest.h"

namespace tidemark::cli {
namespace {

source::Resource web_resource(const IngestPlan& plan,
                              const source::SourceEnvironment& environment) {
  const rest::Client client(
      {.transport = rest::make_transport(environment.http, environment.retry)});
  return {plan.resource, [client, address = plan.source](source::Extraction& extraction) {
            for (json::Page page : client.paginate(extraction, address)) {
              if (!extraction.yield(std::move(page))) {
                return;
              }
            }
          }};
}

source::Resource file_resource(const IngestPlan& plan, const IngestArguments& arguments) {
  // A mistyped name is told before there is a pipeline of it.
  if (plan.source != "-") source::match_files(plan.source);
  source::FilesOptions options;
  options.path = plan.source;
  if (!arguments.format.empty()) {
    options.format = source::file_format(arguments.format);
  }
  return source::files(plan.resource, std::move(options));
}

}  // namespace

ExitCode ingest(const Console& console, const IngestArguments& arguments) {
  const IngestPlan plan = plan_ingest(arguments, console.context().surroundings.current_directory);
  PipelineTarget target = new_target(console, plan.pipeline);
  DestinationChoice destination = plan.destination;
  apply_load_workers(target, destination);
  const source::SourceEnvironment environment = source_environment(target);
  const source::Source source(plan.name,
                              {is_web_address(plan.source) ? web_resource(plan, environment)
                                                           : file_resource(plan, arguments)});
  target.options.dataset = plan.dataset;
  target.options.destination = destination::make_destination(destination.type, destination.options);
  const auto loads = operate(console, target, [&](pipeline::Pipeline& opened) {
    return opened.run(source, {.select = {}, .limit_pages = arguments.limit_pages});
  });
  const ExitCode code = show_loads(console, loads);
  if (is_nothing_new(loads)) {
    console.note(fmt::format(
        "Nothing new in {}{}", plan.source,
        is_web_address(plan.source) ? "" : ": files that were loaded already are not read again"));
  } else {
    console.note(fmt::format("'tidemark pipeline {} query \"from {}\"' shows the rows",
                             plan.pipeline, source.resources().front().table_name()));
  }
  return code;
}

}  // namespace tidemark::cli
