#include "tidemark/cli/workspace.h"

#include <fmt/format.h>

#include "tidemark/base/error.h"

namespace tidemark::cli {

os::DltDirectories directories(const Console& console) {
  const CliContext& context = console.context();
  return os::dlt_directories(*context.environment, context.surroundings);
}

std::filesystem::path pipelines_dir(const Console& console) {
  const auto& given = console.options().pipelines_dir;
  if (!given) {
    return directories(console).pipelines;
  }
  return (console.context().surroundings.current_directory / *given).lexically_normal();
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
    throw Error(ErrorCode::kNotFound,
                fmt::format("there is no pipeline {} in {}; 'tidemark pipeline {} sync' brings its "
                            "state back from the destination, 'tidemark pipeline -l' lists those "
                            "that are there",
                            pipeline, directory.string(), pipeline));
  }
}

std::optional<state::PipelineState> stored_state(const Console& console, std::string_view name) {
  const CliContext& context = console.context();
  try {
    return workdir::WorkingDirectory::open(pipelines_dir(console), name,
                                           workdir::WorkingDirectory::Access::kRead, *context.clock,
                                           *context.random)
        ->read_state();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kNotFound) {
      return std::nullopt;
    }
    throw;
  }
}

}  // namespace tidemark::cli
