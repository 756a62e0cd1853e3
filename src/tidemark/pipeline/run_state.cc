#include "tidemark/pipeline/run_state.h"

#include <algorithm>
#include <utility>

namespace tidemark::pipeline {

void RunState::warn(std::string message) {
  if (std::find(warnings.begin(), warnings.end(), message) != warnings.end()) return;
  if (runtime.progress != nullptr) runtime.progress->warning(message);
  warnings.push_back(std::move(message));
}

std::string RunState::destination_name() const {
  if (const auto name = state.destination_name()) return std::string(*name);
  return options.destination->capabilities().type;
}

void RunState::fill(info::StepInfo& step, const std::vector<std::string>& load_ids) const {
  step.pipeline_name = options.name;
  step.first_run = state.is_first_run();
  step.loads_ids = load_ids;
  for (const std::string& load_id : load_ids) {
    step.load_packages.push_back(directory->package_info(load_id));
  }
  step.warnings = warnings;
}

void note_run_context(RunState& run) {
  const std::string& dir = run.runtime.run_dir;
  run.state.set_last_run_context({dir + "/.dlt", dir, dir});
}

void settle(RunState& run, const workdir::PackageContent& content) {
  if (!content.state.is_null()) {
    run.state.take_over(state::PipelineState::from_json(content.state));
    if (content.pipeline_state) run.state.mark_extracted(run.runtime.clock->now());
  }
  note_run_context(run);
  run.state.bump();
  run.directory->write_schema(content.schema);
  run.directory->write_state(run.state);
}

}  // namespace tidemark::pipeline
