#include "tidemark/info/normalize_info.h"

#include "tidemark/info/fields.h"

namespace tidemark::info {

RowCounts NormalizeInfo::row_counts() const {
  RowCounts counts;
  for (const WriterMetrics& table : table_metrics) add(counts, {{table.name, table.items_count}});
  return counts;
}

std::string to_text(const NormalizeInfo& info, int verbosity) {
  RowCounts counts = info.row_counts();
  std::string text =
      counts.empty() ? "No data found to normalize" : "Normalized data for the following tables:\n";
  text += to_text(counts);
  text += packages_to_text(info, verbosity);
  if (!info.losses.empty()) text += "\nLossy choices: " + to_text(info.losses);
  return text + warnings_to_text(info);
}

json::Value to_json(const NormalizeInfo& info) {
  json::Object object = step_to_json(info);
  object.set("job_metrics", to_json(info.job_metrics, "job_id"));
  object.set("table_metrics", to_json(info.table_metrics, "table_name"));
  object.set("losses", to_json(info.losses));
  return object;
}

NormalizeInfo normalize_info_from_json(const json::Value& value) {
  NormalizeInfo info;
  read_step(value, info);
  Fields fields(value);
  info.job_metrics = writer_metrics_from_json(fields.list("job_metrics"), "job_id");
  info.table_metrics = writer_metrics_from_json(fields.list("table_metrics"), "table_name");
  info.losses = losses_from_json(fields.value("losses"));
  return info;
}

}  // namespace tidemark::info
