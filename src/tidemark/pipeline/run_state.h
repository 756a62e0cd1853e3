#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/pipeline/pipeline.h"
#include "tidemark/state/pipeline_state.h"
#include "tidemark/workdir/working_directory.h"

// What the steps of a pipeline work on. Internal to the module.
namespace tidemark::pipeline {

// Where the database is that this working directory was loaded to: ours, beside dlt's local keys.
inline constexpr std::string_view kLocationKey = "destination_location";

struct RunState {
  PipelineOptions options;
  Runtime runtime;
  std::unique_ptr<workdir::WorkingDirectory> directory;
  state::PipelineState state;  // as state.json has it
  std::string dataset;
  std::optional<std::string> newest_load_id;  // in the destination, as far as known
  std::vector<std::string> warnings;          // of the step at work; go to its info

  void warn(std::string message);
  std::string destination_name() const;
  // The common part of a step's info.
  void fill(info::StepInfo& step, const std::vector<std::string>& load_ids) const;
};

// Notes where relative paths and settings of this run are, as dlt does.
void note_run_context(RunState& run);

// State and schema of a package become those of the working directory.
void settle(RunState& run, const workdir::PackageContent& content);

}  // namespace tidemark::pipeline
