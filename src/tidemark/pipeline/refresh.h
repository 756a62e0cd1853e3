#pragma once

#include "tidemark/pipeline/pipeline.h"
#include "tidemark/state/pipeline_state.h"
#include "tidemark/workdir/package.h"

namespace tidemark::pipeline {

// Takes out of the package's schema and of the state what the refresh mode drops, and lists the
// tables for the destination (dlt 1.31). The resources are those that will run: the selected ones
// and their parents.
void apply_refresh(const RunOptions& options, const source::Source& source,
                   workdir::PackageContent& content, state::PipelineState& state);

}  // namespace tidemark::pipeline
