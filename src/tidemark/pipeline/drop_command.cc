#include "tidemark/pipeline/drop_command.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tidemark/schema/simple_regex.h"

namespace tidemark::pipeline {
namespace {

// Decides which resources are meant.
class ResourcePattern {
 public:
  explicit ResourcePattern(const DropSelection& selection) : matches_all_(selection.all) {
    for (const std::string& resource : selection.resources) {
      // dlt matches a regex at the start of the name here, and searches it everywhere else.
      constexpr std::string_view kRegex = "re:";
      patterns_.push_back(resource.starts_with(kRegex)
                              ? fmt::format("re:^(?:{})", resource.substr(kRegex.size()))
                              : resource);
      schema::check_simple_regex(patterns_.back(), resource);
    }
  }

  bool matches(std::string_view name) const {
    return matches_all_ || std::ranges::any_of(patterns_, [&](const std::string& pattern) {
             return schema::matches_simple_regex(pattern, name);
           });
  }

 private:
  bool matches_all_;
  std::vector<std::string> patterns_;
};

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

void plan_tables(const schema::Schema& schema, const DropSelection& selection,
                 const ResourcePattern& pattern, DropPlan& plan) {
  std::vector<std::string> possible;
  std::vector<std::string> selected;
  std::vector<std::string> tables;
  for (const std::string& root : schema.data_root_tables()) {
    const std::string resource(schema.find_table(root)->resource().value_or(root));
    if (!contains(possible, resource)) {
      possible.push_back(resource);
    }
    if (!pattern.matches(resource)) {
      continue;
    }
    if (!contains(selected, resource)) {
      selected.push_back(resource);
    }
    std::ranges::move(schema.table_chain(root), std::back_inserter(tables));
  }
  if (selected.empty()) {
    plan.warnings.push_back(fmt::format(
        "the resources {} select no table in schema {}; its resources are: {}",
        fmt::join(selection.resources, ", "), schema.name(), fmt::join(possible, ", ")));
  }
  if (selection.state_only) {
    return;
  }
  std::ranges::reverse(tables);
  for (const std::string& table : tables) {
    if (schema.find_table(table)->has_seen_data()) {
      plan.tables_with_data.push_back(table);
    }
  }
  plan.resources = std::move(selected);
  plan.tables = std::move(tables);
}

void plan_paths(const state::PipelineState& state, const DropSelection& selection, DropPlan& plan) {
  for (const std::string& text : selection.state_paths) {
    json::Path path = json::Path::parse(text);
    const auto found = state.find_paths(plan.schema_name, path);
    if (found.empty()) {
      plan.warnings.push_back(fmt::format("the state path {} selects nothing in the state of {}",
                                          text, plan.schema_name));
      continue;
    }
    for (const std::string& full : found) {
      plan.state_paths.push_back(fmt::format("{}.{}", plan.schema_name, full));
    }
    plan.paths.push_back(std::move(path));
  }
}

}  // namespace

DropPlan plan_drop(const schema::Schema& schema, const state::PipelineState& state,
                   const DropSelection& selection) {
  DropPlan plan;
  plan.schema_name = schema.name();
  if (selection.all || !selection.resources.empty()) {
    const ResourcePattern pattern(selection);
    plan_tables(schema, selection, pattern, plan);
    for (std::string& resource : state.resource_names(plan.schema_name)) {
      if (pattern.matches(resource)) {
        plan.resource_states.push_back(std::move(resource));
      }
    }
  }
  plan_paths(state, selection, plan);
  return plan;
}

void apply_drop(const DropPlan& plan, schema::Schema& schema, state::PipelineState& state) {
  for (const std::string& table : plan.tables) {
    schema.drop_table(table);
  }
  for (const std::string& resource : plan.resource_states) {
    state.drop_resource_state(plan.schema_name, resource);
  }
  for (const json::Path& path : plan.paths) {
    state.drop_paths(plan.schema_name, path);
  }
}

}  // namespace tidemark::pipeline
