#pragma once

#include "tidemark/runner/prepared_plugin.h"

namespace tidemark::runner {

// Tries whether a plugin works with its configuration. Error kInvalid with the last that the plugin
// said when it does not; what throws the context's control when it is stopped.

// Runs a tap until its first row, RECORD or BATCH, and stops it.
void try_tap(const RunContext& context, const PreparedPlugin& tap);
// Has a target load three rows of the stream `meltano_test_stream`, which stay where it puts them.
void try_target(const RunContext& context, const PreparedPlugin& target);

}  // namespace tidemark::runner
