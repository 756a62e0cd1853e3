#include "tidemark/info/step_info.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "tidemark/base/ascii.h"
#include "tidemark/info/fields.h"
#include "tidemark/info/format.h"
#include "tidemark/info/job_file.h"

namespace tidemark::info {
namespace {

struct LossKind {
  uint64_t Losses::* count;
  std::string_view key;
  std::string_view text;
};
constexpr std::array kLossKinds = {
    LossKind{&Losses::variant_columns, "variant_columns", "variant column(s) made"},
    LossKind{&Losses::rounded_decimals, "rounded_decimals", "decimal(s) rounded"},
    LossKind{&Losses::numbers_as_text, "numbers_as_text", "number(s) kept as text"},
    LossKind{&Losses::dropped_values, "dropped_values", "value(s) dropped"},
    LossKind{&Losses::duplicate_keys, "duplicate_keys",
             "value(s) replaced by a later one under the same key"},
    LossKind{&Losses::collided_names, "collided_names", "name(s) collided"},
    LossKind{&Losses::rows_of_other_cursor_type, "rows_of_other_cursor_type",
             "row(s) of another type than the cursor"},
    LossKind{&Losses::null_only_columns, "null_only_columns",
             "column(s) without any value left out"},
};

std::string package_line(const LoadPackageInfo& package) {
  const std::string state = ascii_upper(to_string(package.state));
  size_t failed = package.count_jobs(JobState::kFailed);
  size_t retried = package.count_retried_jobs();
  std::string line =
      fmt::format("\nLoad package {}{} is {}{} and contains {}", package.load_id,
                  package.refresh ? fmt::format(" with refresh '{}'", *package.refresh) : "", state,
                  package.completed_at ? "" : " and NOT YET LOADED to the destination",
                  failed == 0 ? "no failed jobs" : fmt::format("{} FAILED job(s)!", failed));
  if (retried > 0) line += fmt::format(" and {} job(s) pending retry", retried);
  if (package.has_pending_transitions) {
    line += ". Some jobs finished but were not yet moved (pending transitions)";
  }
  return line;
}

}  // namespace

std::string to_text(const RowCounts& counts) {
  std::string text;
  for (const auto& [table, rows] : counts) text += fmt::format("- {}: {} row(s)\n", table, rows);
  return text;
}

uint64_t total(const RowCounts& counts) {
  uint64_t rows = 0;
  for (const auto& [table, count] : counts) rows += count;
  return rows;
}

void add(RowCounts& counts, const RowCounts& more) {
  for (const auto& [table, rows] : more) {
    auto same = std::find_if(counts.begin(), counts.end(),
                             [&](const auto& entry) { return entry.first == table; });
    if (same == counts.end()) {
      counts.emplace_back(table, rows);
    } else {
      same->second += rows;
    }
  }
}

Losses& Losses::operator+=(const Losses& other) {
  for (const LossKind& kind : kLossKinds) this->*kind.count += other.*kind.count;
  return *this;
}

std::string to_text(const Losses& losses) {
  std::string text;
  for (const LossKind& kind : kLossKinds) {
    if (losses.*kind.count == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", format_count(losses.*kind.count),
                        kind.text);
  }
  return text;
}

json::Value to_json(const Losses& losses) {
  json::Object object;
  for (const LossKind& kind : kLossKinds) object.set(kind.key, losses.*kind.count);
  return object;
}

Losses losses_from_json(const json::Value& value) {
  Losses losses;
  if (value.is_null()) return losses;
  Fields fields(value);
  for (const LossKind& kind : kLossKinds) losses.*kind.count = fields.count(kind.key);
  return losses;
}

std::string packages_to_text(const StepInfo& step, int verbosity) {
  std::string text;
  for (const LoadPackageInfo& package : step.load_packages) {
    text += package_line(package);
    for (const LoadJobInfo& job : package.jobs) {
      if (verbosity > 0 && job.state == JobState::kFailed) {
        text += fmt::format("\n\t[{}]: {}\n", job.job_file_info.job_id(),
                            job.failed_message.value_or("None"));
      }
    }
    if (verbosity > 1) text += "\nPackage details:\n" + to_text(package, verbosity) + "\n";
  }
  return text;
}

std::string warnings_to_text(const StepInfo& step) {
  std::string text;
  for (const std::string& warning : step.warnings) text += "\nWARNING: " + warning;
  return text;
}

json::Object step_to_json(const StepInfo& step) {
  json::Array packages;
  for (const LoadPackageInfo& package : step.load_packages) packages.push_back(to_json(package));
  json::Object object{{"pipeline", json::Object{{"pipeline_name", step.pipeline_name}}},
                      {"loads_ids", text_values(step.loads_ids)},
                      {"load_packages", std::move(packages)},
                      {"first_run", step.first_run}};
  if (step.started_at) object.set("started_at", time_value(step.started_at));
  if (step.finished_at) object.set("finished_at", time_value(step.finished_at));
  if (!step.warnings.empty()) object.set("warnings", text_values(step.warnings));
  return object;
}

void read_step(const json::Value& value, StepInfo& step) {
  Fields fields(value);
  if (const json::Value& pipeline = fields.value("pipeline"); !pipeline.is_null()) {
    step.pipeline_name = Fields(pipeline).text("pipeline_name");
  }
  step.loads_ids = fields.texts("loads_ids");
  for (const json::Value& package : fields.list("load_packages")) {
    step.load_packages.push_back(load_package_from_json(package));
  }
  step.first_run = fields.flag("first_run");
  step.started_at = fields.optional_time("started_at");
  step.finished_at = fields.optional_time("finished_at");
  step.warnings = fields.texts("warnings");
}

json::Value to_json(const WriterMetrics& metrics, std::string_view name_key) {
  json::Object row{{"file_path", metrics.file_path},
                   {"items_count", metrics.items_count},
                   {"file_size", metrics.file_size},
                   {"created", unix_time_value(metrics.created)},
                   {"last_modified", unix_time_value(metrics.last_modified)},
                   {"load_id", metrics.load_id},
                   {"extract_idx", 0}};
  row.set(name_key, metrics.name);
  if (auto file = JobFile::parse(metrics.file_path.substr(metrics.file_path.rfind('/') + 1))) {
    row.set("table_name", file->table_name);
  }
  return row;
}

json::Array to_json(const std::vector<WriterMetrics>& metrics, std::string_view name_key) {
  json::Array rows;
  for (const WriterMetrics& entry : metrics) rows.push_back(to_json(entry, name_key));
  return rows;
}

std::vector<WriterMetrics> writer_metrics_from_json(const json::Array& rows,
                                                    std::string_view name_key) {
  std::vector<WriterMetrics> metrics;
  for (const json::Value& row : rows) {
    Fields fields(row);
    metrics.push_back({fields.text("load_id"), fields.text(name_key), fields.text("file_path"),
                       fields.count("items_count"), fields.count("file_size"),
                       fields.unix_time("created"), fields.unix_time("last_modified")});
  }
  return metrics;
}

json::Array to_json(const RowCounts& counts) {
  json::Array rows;
  for (const auto& [table, count] : counts) {
    rows.push_back(json::Object{{"table_name", table}, {"items_count", count}});
  }
  return rows;
}

RowCounts row_counts_from_json(const json::Array& rows) {
  RowCounts counts;
  for (const json::Value& row : rows) {
    Fields fields(row);
    counts.emplace_back(fields.text("table_name"), fields.count("items_count"));
  }
  return counts;
}

}  // namespace tidemark::info
