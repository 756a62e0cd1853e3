#pragma once

#include "tidemark/pipeline/run_state.h"

namespace tidemark::pipeline {

// Compares state.json with the newest committed state in the destination and takes over what is
// newer there, schemas too (dlt 1.31, with the differences of docs/dlt.md). No package may be
// pending. False when the destination knows nothing of this pipeline.
bool sync_with_destination(RunState& run);

// Wipes the working directory and begins a state at version 0.
void start_over(RunState& run);

}  // namespace tidemark::pipeline
