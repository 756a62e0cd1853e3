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

}  // namespace tidemark::pipeline
