#include "tidemark/info/load_package.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tidemark/base/ascii.h"
#include "tidemark/base/error.h"
#include "tidemark/info/fields.h"
#include "tidemark/info/format.h"

namespace tidemark::info {
namespace {

constexpr std::array kPackageStates = {PackageState::kNew, PackageState::kExtracted,
                                       PackageState::kNormalized, PackageState::kLoaded,
                                       PackageState::kAborted};

template <typename States>
auto state_from(std::string_view name, const States& states) {
  for (auto state : states) {
    if (to_string(state) == name) return state;
  }
  throw Error(ErrorCode::kCorrupt, fmt::format("state {} is unknown", name));
}

json::Value job_to_json(const LoadJobInfo& job) {
  const JobFile& file = job.job_file_info;
  return json::Object{{"state", to_string(job.state)},
                      {"file_path", job.file_path},
                      {"file_size", job.file_size},
                      {"created_at", time_value(job.created_at)},
                      {"elapsed", std::chrono::duration<double>(job.elapsed).count()},
                      {"failed_message", text_value(job.failed_message)},
                      {"table_name", file.table_name},
                      {"file_id", file.file_id},
                      {"retry_count", file.retry_count},
                      {"file_format", file.file_format},
                      {"is_compressed", file.is_compressed},
                      {"job_id", file.job_id()}};
}

LoadJobInfo job_from_json(const json::Value& value) {
  Fields fields(value);
  LoadJobInfo job;
  job.state = state_from(fields.text("state"), kJobStates);
  job.file_path = fields.text("file_path");
  job.file_size = fields.count("file_size");
  job.created_at = fields.time("created_at");
  job.elapsed = std::chrono::microseconds(std::llround(fields.number("elapsed") * 1e6));
  job.failed_message = fields.optional_text("failed_message");
  job.job_file_info = {fields.text("table_name"), fields.text("file_id"),
                       static_cast<int>(fields.count("retry_count")), fields.text("file_format"),
                       fields.flag("is_compressed")};
  return job;
}

// A table of the update, ready to be loaded as a row: its columns as a list, names beside each.
json::Value table_to_json(const LoadPackageInfo& package, const std::string& name,
                          const json::Value& table) {
  json::Object row = table.as_object();
  row.erase("filters");
  row.set("schema_name", package.schema_name);
  row.set("load_id", package.load_id);
  json::Array columns;
  if (const json::Value* stored = table.find("columns"); stored != nullptr) {
    for (const auto& [key, column] : stored->as_object()) {
      json::Object column_row = column.as_object();
      column_row.set("table_name", name);
      column_row.set("schema_name", package.schema_name);
      column_row.set("load_id", package.load_id);
      columns.emplace_back(std::move(column_row));
    }
  }
  row.set("columns", std::move(columns));
  return row;
}

json::Value table_from_json(const json::Value& row) {
  json::Object table = row.as_object();
  table.erase("schema_name");
  table.erase("load_id");
  json::Object columns;
  for (const json::Value& column_row : Fields(row).list("columns")) {
    json::Object column = column_row.as_object();
    column.erase("table_name");
    column.erase("schema_name");
    column.erase("load_id");
    columns.set(Fields(column_row).text("name"), std::move(column));
  }
  table.set("columns", std::move(columns));
  return table;
}

}  // namespace

std::string_view to_string(JobState state) {
  switch (state) {
    case JobState::kNew:
      return "new_jobs";
    case JobState::kStarted:
      return "started_jobs";
    case JobState::kCompleted:
      return "completed_jobs";
    case JobState::kFailed:
      return "failed_jobs";
  }
  return "";
}

std::string_view to_string(PackageState state) {
  switch (state) {
    case PackageState::kNew:
      return "new";
    case PackageState::kExtracted:
      return "extracted";
    case PackageState::kNormalized:
      return "normalized";
    case PackageState::kLoaded:
      return "loaded";
    case PackageState::kAborted:
      return "aborted";
  }
  return "";
}

size_t LoadPackageInfo::count_jobs(JobState job_state) const {
  return static_cast<size_t>(std::count_if(
      jobs.begin(), jobs.end(), [&](const LoadJobInfo& job) { return job.state == job_state; }));
}

size_t LoadPackageInfo::count_retried_jobs() const {
  return static_cast<size_t>(std::count_if(jobs.begin(), jobs.end(), [](const LoadJobInfo& job) {
    return job.state == JobState::kNew && job.job_file_info.retry_count > 0;
  }));
}

std::string to_text(const LoadJobInfo& job, int verbosity) {
  std::string text = fmt::format(
      "Job: {}, table: {} in {}. File type: {}, size: {}. Started on: {} and completed in {}.",
      job.job_file_info.job_id(), job.job_file_info.table_name, to_string(job.state),
      job.job_file_info.file_format, format_size(job.file_size), format_datetime(job.created_at),
      job.elapsed.count() == 0 ? "---" : format_duration(job.elapsed));
  if (job.failed_message && verbosity > 0) text += "\n" + *job.failed_message;
  return text;
}

std::string to_text(const LoadPackageInfo& package, int verbosity) {
  std::string state = ascii_upper(to_string(package.state));
  std::string text = fmt::format(
      "The package with load id {} for schema {} is in {} state. It updated schema for {} tables. ",
      package.load_id, package.schema_name, state, package.schema_update.size());
  text += package.completed_at ? fmt::format("The package was {} at {}.\n", state,
                                             format_datetime(*package.completed_at))
                               : "The package is NOT YET LOADED to the destination.\n";
  if (package.refresh) {
    text += fmt::format("The package was extracted with refresh '{}'.\n", *package.refresh);
  }
  if (verbosity > 0 && !package.dropped_tables.empty()) {
    text += fmt::format("Dropped tables: {}.\n", fmt::join(package.dropped_tables, ", "));
  }
  if (verbosity > 0 && !package.truncated_tables.empty()) {
    text += fmt::format("Truncated tables: {}.\n", fmt::join(package.truncated_tables, ", "));
  }
  text += "Jobs details:\n";
  for (size_t i = 0; i < package.jobs.size(); ++i) {
    if (i > 0) text += '\n';
    text += to_text(package.jobs[i], verbosity);
  }
  return text;
}

json::Value to_json(const LoadPackageInfo& package) {
  json::Array jobs;
  for (const LoadJobInfo& job : package.jobs) jobs.push_back(job_to_json(job));
  json::Array tables;
  for (const auto& [name, table] : package.schema_update) {
    tables.push_back(table_to_json(package, name, table));
  }
  return json::Object{{"load_id", package.load_id},
                      {"package_path", package.package_path},
                      {"state", to_string(package.state)},
                      {"completed_at", time_value(package.completed_at)},
                      {"jobs", std::move(jobs)},
                      {"refresh", text_value(package.refresh)},
                      {"dropped_tables", text_values(package.dropped_tables)},
                      {"truncated_tables", text_values(package.truncated_tables)},
                      {"has_pending_transitions", package.has_pending_transitions},
                      {"schema_hash", package.schema_hash},
                      {"schema_name", package.schema_name},
                      {"schema_migrated", !package.schema_update.empty()},
                      {"tables", std::move(tables)}};
}

LoadPackageInfo load_package_from_json(const json::Value& value) {
  Fields fields(value);
  LoadPackageInfo package;
  package.load_id = fields.text("load_id");
  package.package_path = fields.text("package_path");
  package.state = state_from(fields.text("state"), kPackageStates);
  package.schema_name = fields.text("schema_name");
  package.schema_hash = fields.text("schema_hash");
  package.completed_at = fields.optional_time("completed_at");
  for (const json::Value& job : fields.list("jobs")) package.jobs.push_back(job_from_json(job));
  package.refresh = fields.optional_text("refresh");
  package.dropped_tables = fields.texts("dropped_tables");
  package.truncated_tables = fields.texts("truncated_tables");
  package.has_pending_transitions = fields.flag("has_pending_transitions");
  for (const json::Value& table : fields.list("tables")) {
    package.schema_update.set(Fields(table).text("name"), table_from_json(table));
  }
  return package;
}

}  // namespace tidemark::info
