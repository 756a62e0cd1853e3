#include <memory>
#include <optional>
#include <span>
#include <string>

#include "tidemark/base/cancellation.h"
#include "tidemark/base/error.h"
#include "tidemark/cli/commands.h"
#include "tidemark/cli/pipeline_target.h"
#include "tidemark/cli/query_output.h"
#include "tidemark/cli/workspace.h"
#include "tidemark/destination/interrupt_watch.h"

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

// Takes no more rows once the user wants to stop.
class StoppableSink final : public destination::RowSink {
 public:
  StoppableSink(destination::RowSink& inner, const Cancellation& cancellation)
      : inner_(inner), cancellation_(cancellation) {}

  void columns(std::span<const std::string> names, std::span<const std::string> types) override {
    inner_.columns(names, types);
  }
  bool row(std::span<const std::optional<std::string>> values) override {
    return !cancellation_.is_cancelled() && inner_.row(values);
  }

 private:
  destination::RowSink& inner_;
  const Cancellation& cancellation_;
};

void read_rows(destination::Session& session, std::string_view sql, destination::RowSink& sink,
               const Cancellation& cancellation) {
  StoppableSink stoppable(sink, cancellation);
  try {
    const destination::InterruptWatch watch(session, cancellation);
    session.query(sql, stoppable);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kCancelled) cancellation.throw_if_cancelled();
    throw;
  }
  cancellation.throw_if_cancelled();
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
  read_rows(*session, arguments.sql, *output, *console.context().cancellation);
  output->finish();
  return kDone;
}

}  // namespace tidemark::cli
