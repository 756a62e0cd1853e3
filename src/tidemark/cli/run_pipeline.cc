#include "tidemark/cli/run_pipeline.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tidemark/cli/operate.h"
#include "tidemark/cli/pipeline_settings.h"
#include "tidemark/cli/pipeline_target.h"
#include "tidemark/cli/show_loads.h"
#include "tidemark/json/write.h"
#include "tidemark/source/registry.h"

namespace tidemark::cli {
namespace {

pipeline::Refresh refresh_of(const RunArguments& arguments) {
  if (arguments.pipeline.refresh == "drop_sources") {
    return pipeline::Refresh::kDropSources;
  }
  if (arguments.pipeline.refresh == "drop_data") {
    return pipeline::Refresh::kDropData;
  }
  const bool drops_resources =
      arguments.full_refresh || arguments.pipeline.refresh == "drop_resources";
  return drops_resources ? pipeline::Refresh::kDropResources : pipeline::Refresh::kNone;
}

std::optional<source::CursorWindow> window_of(const RunArguments& arguments) {
  const PipelineRunOptions& options = arguments.pipeline;
  if (!options.from || !options.to) {
    return std::nullopt;
  }
  return source::CursorWindow{*options.from, *options.to};
}

// What would run, without anything being read or written.
void show_plan(const Console& console, const PipelineTarget& target, const source::Source& source,
               const std::vector<std::string>& select) {
  source.check_names(select);
  json::Array resources;
  std::string text =
      fmt::format("Pipeline {} would load the source {} into {}\n", target.options.name,
                  source.name(), target.options.destination->location());
  for (const source::Resource& resource : source.resources()) {
    if (!resource.is_selected(select)) {
      continue;
    }
    const std::string_view disposition = source::to_string(resource.options().write_disposition);
    text +=
        fmt::format("{} into table {} ({})\n", resource.name(), resource.table_name(), disposition);
    resources.emplace_back(json::Object{{"name", resource.name()},
                                        {"table", resource.table_name()},
                                        {"write_disposition", disposition}});
  }
  const json::Object document{{"pipeline_name", target.options.name},
                              {"source", source.name()},
                              {"destination", target.options.destination->location()},
                              {"resources", std::move(resources)}};
  console.result(console.is_json() ? json::write_pretty(document) : text);
}

}  // namespace

ExitCode run_pipeline(const Console& console, std::string_view name,
                      const RunArguments& arguments) {
  const PipelineRunOptions& options = arguments.pipeline;
  PipelineTarget target = find_in_project(console, name);
  const source::Source source = source::make_source(
      target.definition->source_name, target.definition->source, source_environment(target));
  target.options.dev_mode = target.options.dev_mode || options.dev_mode;
  if (arguments.dry_run) {
    show_plan(console, target, source, options.select);
    return kDone;
  }
  const auto loads = operate(console, target, [&](pipeline::Pipeline& opened) {
    return opened.run(source, {.refresh = refresh_of(arguments),
                               .select = options.select,
                               .limit_pages = options.limit_pages,
                               .window = window_of(arguments)});
  });
  if (is_nothing_new(loads)) {
    console.note(fmt::format("Nothing new in the source {}", source.name()));
  }
  return show_loads(console, loads);
}

}  // namespace tidemark::cli
