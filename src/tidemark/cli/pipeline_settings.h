#pragma once

#include "tidemark/cli/destination_url.h"
#include "tidemark/cli/pipeline_target.h"
#include "tidemark/source/registry.h"

// What the settings of a pipeline say of its run: environment, project file, dlt's files. Each
// throws Error kInvalid with the place of a value that cannot be, kUnsupported with the place of a
// key in the project file that would have no effect.
namespace tidemark::cli {

void apply_settings(PipelineTarget& target);

// load.workers: the most threads that DuckDB loads with, unless the destination's own `threads`
// says it.
void apply_load_workers(const PipelineTarget& target, DestinationChoice& choice);

// runtime.request_timeout, request_max_attempts, request_backoff_factor, request_max_retry_delay.
// The trace names where they, and what was asked before, came from.
source::SourceEnvironment source_environment(PipelineTarget& target);

}  // namespace tidemark::cli
