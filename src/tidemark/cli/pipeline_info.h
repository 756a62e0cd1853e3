#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/json/value.h"
#include "tidemark/schema/schema.h"
#include "tidemark/state/pipeline_state.h"

namespace tidemark::cli {

// What `pipeline NAME info` shows.
struct PipelineInfo {
  std::string name;
  std::filesystem::path pipelines_dir;
  state::PipelineState state;
  std::vector<schema::Schema> schemas;          // the default one first
  std::vector<std::string> extracted_packages;  // load ids, oldest first
  std::vector<std::string> normalized_packages;
  bool is_partially_loaded = false;  // the oldest normalized package
  std::vector<std::string> completed_packages;
  bool has_trace = false;
};

// In dlt's layout. Verbosity 1 adds the sources' state and the tables of each resource.
std::string to_text(const PipelineInfo& info, int verbosity);
json::Value to_json(const PipelineInfo& info);

}  // namespace tidemark::cli
