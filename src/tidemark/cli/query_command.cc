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

}  // namespace

ExitCode query(const Console& console, std::string_view pipeline, const QueryArguments& arguments) {
  const pipeline::PipelineOptions options = find_pipeline(console, pipeline);
  auto session = options.destination->connect(options.dataset, destination::Access::kRead);
  auto output = make_output(console, arguments);
  session->query(arguments.sql, *output);
  output->finish();
  return kDone;
}

}  // namespace tidemark::cli
