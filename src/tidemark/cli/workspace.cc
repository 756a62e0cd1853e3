#include "tidemark/cli/workspace.h"

#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/config/nearest.h"

namespace tidemark::cli {

os::DltDirectories directories(const Console& console, const std::filesystem::path& directory) {
  os::Surroundings surroundings = console.context().surroundings;
  surroundings.current_directory = directory;
  return os::dlt_directories(*console.context().environment, surroundings);
}

std::filesystem::path pipelines_dir(const Console& console) {
  const auto& current = console.context().surroundings.current_directory;
  const auto& given = console.options().pipelines_dir;
  return given ? (current / *given).lexically_normal() : directories(console, current).pipelines;
}

std::string near_pipeline(const std::filesystem::path& pipelines_dir, std::string_view name) {
  const auto entries = workdir::list_pipelines(pipelines_dir);
  std::vector<std::string_view> known;
  known.reserve(entries.size());
  for (const workdir::PipelineEntry& entry : entries) {
    known.push_back(entry.name);
  }
  const auto near = config::nearest(name, known);
  return near ? fmt::format(" (did you mean '{}'?)", *near) : "";
}

std::unique_ptr<workdir::WorkingDirectory> open_to_read(const Console& console,
                                                        std::string_view pipeline) {
  const CliContext& context = console.context();
  const auto directory = pipelines_dir(console);
  try {
    return workdir::WorkingDirectory::open(directory, pipeline,
                                           workdir::WorkingDirectory::Access::kRead, *context.clock,
                                           *context.random);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kNotFound) {
      throw;
    }
    throw Error(
        ErrorCode::kNotFound,
        fmt::format("there is no pipeline {0} in {1}{2}; 'tidemark pipeline {0} sync' brings "
                    "its state back from the destination, 'tidemark pipeline -l' lists "
                    "those that are there",
                    pipeline, directory.string(), near_pipeline(directory, pipeline)));
  }
}

std::optional<state::PipelineState> stored_state(const Console& console, std::string_view name) {
  const CliContext& context = console.context();
  return workdir::stored_state(pipelines_dir(console), name, *context.clock, *context.random);
}

}  // namespace tidemark::cli
