#pragma once

#include <functional>
#include <vector>

#include "tidemark/cli/pipeline_target.h"

namespace tidemark::cli {

// Opens the pipeline and runs body with progress on stderr. An error that leaves packages pending
// says so, and which commands finish them or give them up.
std::vector<info::LoadInfo> operate(
    const Console& console, const PipelineTarget& target,
    const std::function<std::vector<info::LoadInfo>(pipeline::Pipeline&)>& body);

bool is_nothing_new(const std::vector<info::LoadInfo>& loads);

}  // namespace tidemark::cli
