#include <memory>

#include "tidemark/cli/commands.h"
#include "tidemark/cli/pipeline_target.h"
#include "tidemark/cli/query_output.h"
#include "tidemark/cli/workspace.h"

namespace tidemark::cli {
namespace {

std::unique_ptr<QueryOutput> make_output(const Console& console, const QueryArguments& arguments) {
  Output& out = *console.context().out;
  if (arguments.csv) {
    return std::make_unique<CsvOutput>(out);
  }
  if (console.is_json()) {
    return std::make_unique<JsonOutput>(out);
  }
  return std::make_unique<TableOutput>(out);
}

// What was loaded last counts: a run in dev mode loads into a dataset of its own.
std::string dataset_of(const Console& console, const PipelineTarget& target) {
  const auto state = stored_state(console, target.options.name);
  const auto stored = state ? state->dataset_name() : std::nullopt;
  if (stored) {
    return std::string(*stored);
  }
  return target.options.dataset.empty() ? target.options.name + "_dataset" : target.options.dataset;
}

}  // namespace

ExitCode query(const Console& console, std::string_view pipeline, const QueryArguments& arguments) {
  const PipelineTarget target = find_pipeline(console, pipeline);
  auto session =
      target.options.destination->connect(dataset_of(console, target), destination::Access::kRead);
  auto output = make_output(console, arguments);
  session->query(arguments.sql, *output);
  output->finish();
  return kDone;
}

}  // namespace tidemark::cli
