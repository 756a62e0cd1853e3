#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tidemark/cli/commands.h"
#include "tidemark/cli/operate.h"
#include "tidemark/cli/pipeline_settings.h"
#include "tidemark/cli/pipeline_target.h"
#include "tidemark/cli/show_loads.h"
#include "tidemark/json/write.h"
#include "tidemark/source/registry.h"

namespace tidemark::cli {
namespace {

pipeline::Refresh refresh_of(const RunArguments& arguments) {
  if (arguments.refresh == "drop_sources") {
    return pipeline::Refresh::kDropSources;
  }
  if (arguments.refresh == "drop_data") {
    return pipeline::Refresh::kDropData;
  }
  const bool drops_resources = arguments.full_refresh || arguments.refresh == "drop_resources";
  return drops_resources ? pipeline::Refresh::kDropResources : pipeline::Refresh::kNone;
}

std::optional<source::CursorWindow> window_of(const RunArguments& arguments) {
  if (!arguments.from || !arguments.to) {
    return std::nullopt;
  }
  return source::CursorWindow{*arguments.from, *arguments.to};
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

ExitCode run(const Console& console, const RunArguments& arguments) {
  PipelineTarget target = find_in_project(console, arguments.pipeline);
  const source::Source source = source::make_source(
      target.definition->source_name, target.definition->source, source_environment(target));
  target.options.dev_mode = target.options.dev_mode || arguments.dev_mode;
  if (arguments.dry_run) {
    show_plan(console, target, source, arguments.select);
    return kDone;
  }
  const auto loads = operate(console, target, [&](pipeline::Pipeline& opened) {
    return opened.run(source, {.refresh = refresh_of(arguments),
                               .select = arguments.select,
                               .limit_pages = arguments.limit_pages,
                               .window = window_of(arguments)});
  });
  if (is_nothing_new(loads)) {
    console.note(fmt::format("Nothing new in the source {}", source.name()));
  }
  return show_loads(console, loads);
}

}  // namespace tidemark::cli
