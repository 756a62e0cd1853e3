#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/cli/console.h"
#include "tidemark/cli/exit_code.h"
#include "tidemark/cli/progress.h"
#include "tidemark/info/load_info.h"
#include "tidemark/pipeline/pipeline.h"

namespace tidemark::cli {

// A destination and a dataset that the user named on the command line.
struct TargetOverride {
  std::optional<std::string> destination;
  std::optional<std::string> dataset;
};

// How to open a pipeline that exists: as the project declares it, else as its working directory
// knows it: where its last run loaded to, or where dlt keeps a database by default. Error kNotFound
// when nothing says where its data is.
pipeline::PipelineOptions find_pipeline(const Console& console, std::string_view name,
                                        const TargetOverride& target = {});

pipeline::Runtime runtime(const Console& console, Progress* progress);

// Results of a run on stdout; the exit code that they mean.
ExitCode show_loads(const Console& console, const std::vector<info::LoadInfo>& loads);

}  // namespace tidemark::cli
