#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/commands.h"
#include "tidemark/cli/pipeline_info.h"
#include "tidemark/cli/workspace.h"
#include "tidemark/json/write.h"

namespace tidemark::cli {
namespace {

using workdir::PackageStage;
using workdir::WorkingDirectory;

std::vector<schema::Schema> read_schemas(const WorkingDirectory& directory,
                                         const state::PipelineState& state) {
  std::vector<schema::Schema> schemas;
  const auto default_name = state.default_schema_name();
  auto add = [&](std::string_view name) {
    if (auto schema = directory.read_schema(name)) {
      schemas.push_back(std::move(*schema));
    }
  };
  if (default_name) {
    add(*default_name);
  }
  for (const std::string& name : state.schema_names()) {
    if (name != default_name) {
      add(name);
    }
  }
  return schemas;
}

bool is_partially_loaded(const WorkingDirectory& directory, const std::string& load_id) {
  const info::LoadPackageInfo package = directory.package_info(load_id);
  const size_t completed = package.count_jobs(info::JobState::kCompleted);
  return completed > 0 && completed < package.jobs.size();
}

}  // namespace

ExitCode show_info(const Console& console, std::string_view pipeline) {
  auto directory = open_to_read(console, pipeline);
  auto state = directory->read_state();
  if (!state) {
    throw Error(ErrorCode::kNotFound,
                fmt::format("{} holds no state of the pipeline {}; 'tidemark pipeline {} sync' "
                            "brings it back from the destination",
                            directory->path().string(), pipeline, pipeline));
  }
  PipelineInfo info{.name = std::string(pipeline),
                    .pipelines_dir = pipelines_dir(console),
                    .state = *state,
                    .schemas = read_schemas(*directory, *state),
                    .extracted_packages = directory->packages(PackageStage::kExtracted),
                    .normalized_packages = directory->packages(PackageStage::kNormalized),
                    .completed_packages = directory->packages(PackageStage::kLoaded),
                    .has_trace = directory->read_trace().has_value()};
  info.is_partially_loaded = !info.normalized_packages.empty() &&
                             is_partially_loaded(*directory, info.normalized_packages.front());
  console.result(console.is_json() ? json::write_pretty(to_json(info))
                                   : to_text(info, console.verbosity()));
  return kDone;
}

}  // namespace tidemark::cli
