#pragma once

#include <optional>
#include <string>

#include "tidemark/pipeline/run_state.h"
#include "tidemark/pipeline/tracer.h"

namespace tidemark::pipeline {

// Runs the source into a package and seals it; the load id. Nothing when there was nothing new,
// neither rows nor state: then no package is left. The new state is in the package until the
// destination has it; with one of dlt's job formats run.state is it as well.
std::optional<std::string> extract_package(RunState& run, Tracer& tracer,
                                           const source::Source& source, const RunOptions& options);

// A package that drops tables and carries the state after it; its load id.
std::string seal_drop(RunState& run, const DropPlan& plan);

}  // namespace tidemark::pipeline
