#pragma once

#include "tidemark/pipeline/run_state.h"

namespace tidemark::pipeline {

// Compares state.json with the newest committed state in the destination and takes over what is
// newer there, schemas too (dlt 1.31, with the differences of docs/dlt.md). No package may be
// pending. Before a run that will write, access is kUpdate: a database that cannot be written is
// noticed before anything is read from a source. False when the destination knows nothing of this
// pipeline.
bool sync_with_destination(RunState& run, destination::Access access);

// What kUpdate of a sync would notice, for a run that does not sync.
void require_writable(RunState& run);

// Wipes the working directory and begins a state at version 0.
void start_over(RunState& run);

}  // namespace tidemark::pipeline
