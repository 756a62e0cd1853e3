#pragma once

#include <string>
#include <vector>

#include "tidemark/json/path.h"
#include "tidemark/schema/schema.h"
#include "tidemark/state/pipeline_state.h"

namespace tidemark::pipeline {

// What a user asks to drop (dlt 1.31).
struct DropSelection {
  std::vector<std::string> resources;    // names, or `re:REGEX` matched at the start of a name
  bool all = false;                      // every resource; resources are then not looked at
  std::vector<std::string> state_paths;  // JSONPaths below the source's state
  bool state_only = false;               // reset the resources' state, keep their tables
};

// What that means for one schema and its state.
struct DropPlan {
  std::string schema_name;
  std::vector<std::string> resources;         // that own a table to drop
  std::vector<std::string> tables;            // children before parents
  std::vector<std::string> tables_with_data;  // those of them that the destination has
  std::vector<std::string> resource_states;
  std::vector<std::string> state_paths;  // full: `<source>.archives.a`
  std::vector<json::Path> paths;         // the same, as they were given
  std::vector<std::string> warnings;

  bool is_empty() const { return tables.empty() && resource_states.empty() && state_paths.empty(); }
};

// Pure. Error kInvalid for a regular expression or a JSONPath that cannot be read.
DropPlan plan_drop(const schema::Schema& schema, const state::PipelineState& state,
                   const DropSelection& selection);

// Takes the plan's tables out of the schema, its resources' states and paths out of the state.
// Bumps neither.
void apply_drop(const DropPlan& plan, schema::Schema& schema, state::PipelineState& state);

}  // namespace tidemark::pipeline
