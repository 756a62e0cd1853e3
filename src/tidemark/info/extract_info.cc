#include "tidemark/info/extract_info.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "tidemark/info/fields.h"
#include "tidemark/info/format.h"

namespace tidemark::info {
namespace {

constexpr std::array<std::string_view, 8> kResourceKeys = {
    "file_path", "items_count", "file_size",     "created",
    "load_id",   "extract_idx", "last_modified", "resource_name"};

json::Array resources_to_json(const std::vector<ResourceMetrics>& metrics) {
  json::Array rows;
  for (const ResourceMetrics& entry : metrics) {
    json::Value row = to_json(entry.written, "resource_name");
    for (const auto& [key, value] : entry.custom) row.as_object().set(key, value);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<ResourceMetrics> resources_from_json(const json::Array& rows) {
  std::vector<WriterMetrics> written = writer_metrics_from_json(rows, "resource_name");
  std::vector<ResourceMetrics> metrics;
  for (size_t i = 0; i < rows.size(); ++i) {
    ResourceMetrics entry{std::move(written[i]), {}};
    for (const auto& [key, value] : rows[i].as_object()) {
      if (std::find(kResourceKeys.begin(), kResourceKeys.end(), key) == kResourceKeys.end()) {
        entry.custom.set(key, value);
      }
    }
    metrics.push_back(std::move(entry));
  }
  return metrics;
}

}  // namespace

std::string to_text(const ExtractInfo& info, int verbosity) {
  std::string text;
  if (verbosity > 0 && !info.resource_metrics.empty()) {
    text = "Extracted data from the following resources:\n";
    for (const ResourceMetrics& entry : info.resource_metrics) {
      text += fmt::format("- {}: {} row(s), {}\n", entry.written.name, entry.written.items_count,
                          format_size(entry.written.file_size));
    }
  }
  return text + packages_to_text(info, verbosity) + warnings_to_text(info);
}

json::Value to_json(const ExtractInfo& info) {
  json::Array dag;
  for (const ResourceEdge& edge : info.dag) {
    dag.push_back(json::Object{{"load_id", edge.load_id},
                               {"extract_idx", 0},
                               {"parent_name", edge.parent_name},
                               {"resource_name", edge.resource_name}});
  }
  json::Array hints;
  for (const ResourceHints& entry : info.hints) {
    json::Object row{
        {"load_id", entry.load_id}, {"extract_idx", 0}, {"resource_name", entry.resource_name}};
    for (const auto& [key, value] : entry.hints) row.set(key, value);
    hints.emplace_back(std::move(row));
  }
  json::Object object = step_to_json(info);
  object.set("job_metrics", to_json(info.job_metrics, "job_id"));
  object.set("table_metrics", to_json(info.table_metrics, "table_name"));
  object.set("resource_metrics", resources_to_json(info.resource_metrics));
  object.set("dag", std::move(dag));
  object.set("hints", std::move(hints));
  return object;
}

ExtractInfo extract_info_from_json(const json::Value& value) {
  ExtractInfo info;
  read_step(value, info);
  Fields fields(value);
  info.job_metrics = writer_metrics_from_json(fields.list("job_metrics"), "job_id");
  info.table_metrics = writer_metrics_from_json(fields.list("table_metrics"), "table_name");
  info.resource_metrics = resources_from_json(fields.list("resource_metrics"));
  for (const json::Value& row : fields.list("dag")) {
    Fields edge(row);
    info.dag.push_back(
        {edge.text("load_id"), edge.text("parent_name"), edge.text("resource_name")});
  }
  for (const json::Value& row : fields.list("hints")) {
    Fields entry(row);
    json::Object hints = row.as_object();
    for (std::string_view key : {"load_id", "extract_idx", "resource_name"}) hints.erase(key);
    info.hints.push_back({entry.text("load_id"), entry.text("resource_name"), std::move(hints)});
  }
  return info;
}

}  // namespace tidemark::info
