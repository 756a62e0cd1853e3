#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tidemark/base/clock.h"
#include "tidemark/base/random.h"
#include "tidemark/json/value.h"
#include "tidemark/state/pipeline_state.h"
#include "tidemark/workdir/part_file.h"

namespace tidemark::pipeline {

// The row of _dlt_pipeline_state that a package carries, so that state and rows are committed
// together.
struct StateRowPart {
  workdir::PartSummary part;
  // The row without its _dlt_id, as load_package_state.json keeps it under pipeline_state.
  json::Object row;
};

// Writes the row as a part file into directory. state was bumped.
StateRowPart write_state_part(const std::filesystem::path& directory,
                              const state::PipelineState& state, std::string_view load_id, Time now,
                              Random& random);

}  // namespace tidemark::pipeline
