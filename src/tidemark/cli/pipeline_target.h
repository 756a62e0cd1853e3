#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tidemark/cli/console.h"
#include "tidemark/config/shared_settings.h"
#include "tidemark/pipeline/pipeline.h"
#include "tidemark/project/pipeline_definition.h"

namespace tidemark::cli {

// A destination and a dataset that the user named on the command line.
struct TargetOverride {
  std::optional<std::string> destination;
  std::optional<std::string> dataset;
};

// A pipeline and what it takes to open it.
struct PipelineTarget {
  pipeline::PipelineOptions options;
  std::shared_ptr<config::SharedSettings> settings;
  size_t threads = 0;  // 0 = as many as there are cores
  // As the project declares it; nothing for pipelines that no project has.
  std::optional<project::PipelineDefinition> definition;
  // What relative paths are against: the project's folder, else the current one.
  std::filesystem::path directory;
};

// A pipeline that exists: as the project declares it, else as its working directory knows it: where
// its last run loaded to, or where dlt keeps a database by default. Error kNotFound when nothing
// says where its data is.
PipelineTarget find_pipeline(const Console& console, std::string_view name,
                             const TargetOverride& target = {});
// The same for one that the project must declare.
PipelineTarget find_in_project(const Console& console, std::string_view name);
// For one that no project has; the destination is the caller's.
PipelineTarget new_target(const Console& console, std::string_view name);

// progress may be null. Both must outlive the pipeline.
pipeline::Runtime runtime(const Console& console, const PipelineTarget& target,
                          extract::ProgressListener* progress);

}  // namespace tidemark::cli
