#include "tidemark/pipeline/refresh.h"

#include <algorithm>
#include <ranges>
#include <set>

namespace tidemark::pipeline {

namespace {

std::set<std::string> resources_that_run(const RunOptions& options, const source::Source& source) {
  std::set<std::string> names;
  // Children come behind their parents.
  for (const source::Resource& resource : std::views::reverse(source.resources())) {
    const bool is_selected = options.select.empty()
                                 ? resource.options().is_selected
                                 : std::find(options.select.begin(), options.select.end(),
                                             resource.name()) != options.select.end();
    if (is_selected) names.insert(resource.name());
    if (names.contains(resource.name()) && resource.parent()) names.insert(*resource.parent());
  }
  return names;
}

// The tables that the destination has, children before parents.
std::vector<std::string> tables_of(const schema::Schema& schema,
                                   const std::set<std::string>& resources, bool takes_all) {
  std::vector<std::string> tables;
  for (const std::string& root : schema.data_root_tables()) {
    const auto table = schema.find_table(root);
    if (!takes_all && !resources.contains(std::string(table->resource().value_or(root)))) continue;
    std::vector<std::string> chain = schema.table_chain(root);
    std::reverse(chain.begin(), chain.end());
    tables.insert(tables.end(), chain.begin(), chain.end());
  }
  return tables;
}

std::vector<json::Object> with_data(const schema::Schema& schema,
                                    const std::vector<std::string>& tables) {
  std::vector<json::Object> result;
  for (const std::string& name : tables) {
    const auto table = schema.find_table(name);
    if (table && table->has_seen_data()) result.push_back(table->object());
  }
  return result;
}

std::string mode_name(Refresh refresh) {
  switch (refresh) {
    case Refresh::kDropSources:
      return "drop_sources";
    case Refresh::kDropResources:
      return "drop_resources";
    default:
      return "drop_data";
  }
}

}  // namespace

void apply_refresh(const RunOptions& options, const source::Source& source,
                   workdir::PackageContent& content, state::PipelineState& state) {
  if (options.refresh == Refresh::kNone) return;
  content.refresh = mode_name(options.refresh);
  const std::set<std::string> resources = resources_that_run(options, source);
  const bool takes_all = options.refresh == Refresh::kDropSources;
  const std::vector<std::string> tables = tables_of(content.schema, resources, takes_all);

  if (options.refresh == Refresh::kDropData) {
    content.truncated_tables = with_data(content.schema, tables);
  } else {
    content.dropped_tables = with_data(content.schema, tables);
    for (const std::string& table : tables) content.schema.drop_table(table);
  }
  if (takes_all) {
    if (state.find_source_state(source.name()) != nullptr) state.source_state(source.name()) = {};
  } else {
    for (const std::string& resource : resources) {
      state.drop_resource_state(source.name(), resource);
    }
  }
  // Tables are gone or empty: the destination gets the state even when the same one is there.
  if (!content.dropped_tables.empty()) state.forget_extraction();
}

}  // namespace tidemark::pipeline
