#include "tidemark/cli/pipeline_info.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tidemark/json/typed.h"
#include "tidemark/json/write.h"

namespace tidemark::cli {
namespace {

// As Python prints it: None, True, ['a', 'b'].
std::string python_text(const json::Value& value, bool is_quoted = false) {
  if (value.is_null()) {
    return "None";
  }
  if (value.is_bool()) {
    return value.as_bool() ? "True" : "False";
  }
  if (value.is_string()) {
    return is_quoted ? fmt::format("'{}'", value.as_string()) : value.as_string();
  }
  if (!value.is_array()) {
    return json::write(value);
  }
  std::string out;
  for (const json::Value& element : value.as_array()) {
    out += (out.empty() ? "" : ", ") + python_text(element, true);
  }
  return fmt::format("[{}]", out);
}

std::string scalar_lines(const json::Object& object, bool with_nulls) {
  std::string out;
  for (const auto& [key, value] : object) {
    if (!value.is_object() && (with_nulls || !value.is_null())) {
      out += fmt::format("{}: {}\n", key, python_text(json::without_markers(value)));
    }
  }
  return out;
}

std::string synchronised_text(const PipelineInfo& info, int verbosity) {
  std::string out = "Synchronized state:\n";
  out += scalar_lines(info.state.document().as_object(), true) + "\n";
  const json::Value* sources = info.state.document().find("sources");
  if (!sources || !sources->is_object() || sources->as_object().empty()) {
    return out;
  }
  out += "sources:\n";
  out += verbosity > 0 ? json::write_pretty(json::without_markers(*sources))
                       : "Add -v option to see sources state. Note that it could be large.";
  return out + "\n\n";
}

std::string local_text(const PipelineInfo& info) {
  std::string out = "Local state:\n";
  const json::Value& local = info.state.local();
  if (local.is_object()) {
    out += scalar_lines(local.as_object(), false);
    const json::Value* context = local.find("last_run_context");
    if (const json::Value* uri = context ? context->find("uri") : nullptr;
        uri && uri->is_string()) {
      out += fmt::format("last_run_context['uri']: {}\n", uri->as_string());
    }
  }
  return out + "\n";
}

struct ResourceTables {
  std::string resource;
  std::vector<std::string> tables;
};

std::vector<ResourceTables> by_resource(const schema::Schema& schema) {
  std::vector<ResourceTables> groups;
  for (const std::string& root : schema.data_root_tables()) {
    const std::string resource(schema.find_table(root)->resource().value_or(root));
    auto group = std::ranges::find(groups, resource, &ResourceTables::resource);
    if (group == groups.end()) {
      groups.push_back({resource, {}});
      group = groups.end() - 1;
    }
    std::ranges::move(schema.table_chain(root), std::back_inserter(group->tables));
  }
  return groups;
}

size_t state_slots(const PipelineInfo& info, const schema::Schema& schema,
                   std::string_view resource) {
  // With one schema dlt looks into the first source whatever its name.
  const auto sources = info.state.source_names();
  const std::string source =
      info.schemas.size() == 1 && !sources.empty() ? sources.front() : std::string(schema.name());
  const json::Value* state = info.state.find_resource_state(source, resource);
  return state && state->is_object() ? state->as_object().size() : 0;
}

std::string table_line(const schema::TableView& table) {
  const auto columns = table.columns();
  const auto incomplete = std::ranges::count_if(
      columns, [](const schema::ColumnView& column) { return !column.is_complete(); });
  return fmt::format("\t{} table {} column(s) {} {}\n", table.name(), columns.size(),
                     table.has_seen_data() ? "received data" : "not yet received data",
                     incomplete > 0 ? fmt::format("{} incomplete column(s)", incomplete) : "");
}

std::string resources_text(const PipelineInfo& info, int verbosity) {
  if (info.schemas.empty()) {
    return "WARNING: This pipeline does not have a default schema\n\n";
  }
  std::string out;
  for (const schema::Schema& schema : info.schemas) {
    out += fmt::format("Resources in schema: {}\n", schema.name());
    for (const ResourceTables& group : by_resource(schema)) {
      out += fmt::format("{} with {} table(s) and {} resource state slot(s)\n", group.resource,
                         group.tables.size(), state_slots(info, schema, group.resource));
      for (const std::string& table : group.tables) {
        out += verbosity > 0 ? table_line(*schema.find_table(table)) : "";
      }
    }
    out += "\n";
  }
  return out;
}

std::string packages_text(std::string_view what, const std::vector<std::string>& load_ids) {
  std::string out = fmt::format("Has {} {} with following load ids:\n", load_ids.size(), what);
  for (const std::string& load_id : load_ids) {
    out += load_id + "\n";
  }
  return out;
}

std::string working_dir_text(const PipelineInfo& info) {
  std::string out = "Working dir content:\n";
  if (!info.extracted_packages.empty()) {
    out += packages_text("extracted packages ready to be normalized", info.extracted_packages);
  }
  if (!info.normalized_packages.empty()) {
    out += packages_text("normalized packages ready to be loaded", info.normalized_packages);
    out += info.is_partially_loaded
               ? "WARNING: This package is partially loaded. Data in the destination may be "
                 "modified.\n"
               : "";
    out += "\n";
  }
  return out + packages_text("completed load packages", info.completed_packages) + "\n";
}

json::Array text_array(const std::vector<std::string>& texts) {
  return json::Array(texts.begin(), texts.end());
}

json::Array resources_json(const PipelineInfo& info) {
  json::Array resources;
  for (const schema::Schema& schema : info.schemas) {
    for (const ResourceTables& group : by_resource(schema)) {
      resources.emplace_back(json::Object{
          {"schema", schema.name()},
          {"name", group.resource},
          {"tables", text_array(group.tables)},
          {"state_slots", static_cast<uint64_t>(state_slots(info, schema, group.resource))}});
    }
  }
  return resources;
}

}  // namespace

std::string to_text(const PipelineInfo& info, int verbosity) {
  std::string out = fmt::format("{} pipeline {} in {}\n", verbosity > 0 ? "Attaching to" : "Found",
                                info.name, info.pipelines_dir.string());
  out += synchronised_text(info, verbosity);
  out += local_text(info);
  out += resources_text(info, verbosity);
  out += working_dir_text(info);
  out += info.has_trace ? fmt::format(
                              "Pipeline has last run trace. Use 'tidemark pipeline {} "
                              "trace' to inspect\n",
                              info.name)
                        : "Pipeline does not have last run trace.\n";
  return out;
}

json::Value to_json(const PipelineInfo& info) {
  return json::Object{{"pipeline_name", info.name},
                      {"pipelines_dir", info.pipelines_dir.string()},
                      {"state", json::without_markers(info.state.document())},
                      {"resources", resources_json(info)},
                      {"extracted_packages", text_array(info.extracted_packages)},
                      {"normalized_packages", text_array(info.normalized_packages)},
                      {"is_partially_loaded", info.is_partially_loaded},
                      {"completed_packages", text_array(info.completed_packages)},
                      {"has_trace", info.has_trace}};
}

}  // namespace tidemark::cli
