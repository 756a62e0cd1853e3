#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tidemark/cli/console.h"
#include "tidemark/os/directories.h"
#include "tidemark/state/pipeline_state.h"
#include "tidemark/workdir/working_directory.h"

namespace tidemark::cli {

// As dlt finds them when it is run in that directory.
os::DltDirectories directories(const Console& console, const std::filesystem::path& directory);
// --pipelines-dir, else where dlt keeps them; absolute.
std::filesystem::path pipelines_dir(const Console& console);

// " (did you mean 'x'?)" when a working directory there has a name near this one, else nothing.
std::string near_pipeline(const std::filesystem::path& pipelines_dir, std::string_view name);

// The working directory of a pipeline, to be read. Error kNotFound says how to get it back.
std::unique_ptr<workdir::WorkingDirectory> open_to_read(const Console& console,
                                                        std::string_view pipeline);

// The state in it; nothing when there is no such pipeline or it has none yet.
std::optional<state::PipelineState> stored_state(const Console& console, std::string_view pipeline);

}  // namespace tidemark::cli
