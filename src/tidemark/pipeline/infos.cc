#include "tidemark/pipeline/infos.h"

#include <algorithm>
#include <utility>

#include "tidemark/info/job_file.h"

namespace tidemark::pipeline {

namespace {

std::string job_id_of(const std::string& file_name) {
  const auto job = info::JobFile::parse(file_name);
  return job ? job->job_id() : file_name;
}

info::WriterMetrics metrics(const std::string& load_id, std::string name, uint64_t rows,
                            uint64_t bytes, const info::StepInfo& step) {
  info::WriterMetrics result;
  result.load_id = load_id;
  result.name = std::move(name);
  result.items_count = rows;
  result.file_size = bytes;
  result.created = step.started_at.value_or(Time());
  result.last_modified = step.finished_at.value_or(result.created);
  return result;
}

json::Object custom_metrics(const extract::ResourceMetrics& resource) {
  json::Object custom;
  json::Array cursors;
  for (const extract::CursorMetrics& cursor : resource.cursors) {
    cursors.emplace_back(
        json::Object{{"unfiltered_items_count", cursor.rows_seen},
                     {"unfiltered_batches_count", resource.pages},
                     {"initial_unique_hashes_count", static_cast<uint64_t>(cursor.initial_hashes)},
                     {"final_unique_hashes_count", static_cast<uint64_t>(cursor.final_hashes)}});
  }
  if (!cursors.empty()) custom.set("incremental", std::move(cursors));
  custom.set("pages", resource.pages);
  return custom;
}

}  // namespace

std::set<normalize::ColumnKey> null_only_columns(const extract::Extracted& extracted) {
  std::set<normalize::ColumnKey> columns;
  for (const auto& [key, count] : extracted.counts.null_only_columns) {
    const auto table = extracted.schema.find_table(key.table);
    if (!table || !table->find_column(key.column)) columns.insert(key);
  }
  return columns;
}

void fill_extract_info(const extract::Extracted& extracted, const std::string& load_id,
                       info::ExtractInfo& info) {
  for (const workdir::PartSummary& part : extracted.parts) {
    info.job_metrics.push_back(
        metrics(load_id, job_id_of(part.file_name), part.rows, part.bytes, info));
  }
  for (const extract::ResourceMetrics& resource : extracted.resources) {
    info.table_metrics.push_back(
        metrics(load_id, resource.table, resource.rows_kept, resource.bytes, info));
    info.resource_metrics.push_back(
        {metrics(load_id, resource.name, resource.rows_kept, resource.bytes, info),
         custom_metrics(resource)});
    info.dag.push_back({load_id, resource.parent.value_or(resource.name), resource.name});
  }
}

void fill_normalize_info(const workdir::PackageContent& content, const std::string& load_id,
                         info::NormalizeInfo& info) {
  for (const workdir::PartSummary& part : content.parts) {
    info.job_metrics.push_back(
        metrics(load_id, job_id_of(part.file_name), part.rows, part.bytes, info));
    info.table_metrics.push_back(metrics(load_id, part.table, part.rows, part.bytes, info));
  }
  info.losses = content.losses;
}

void fill_load_info(const workdir::SealedPackage& package, const load::LoadOutcome& outcome,
                    info::LoadInfo& info) {
  for (const workdir::SealedJob& job : package.jobs) {
    info::LoadJobMetrics metrics;
    metrics.load_id = package.load_id;
    metrics.dataset_name = info.dataset_name.value_or("");
    metrics.job_id = job_id_of(job.file.filename().string());
    metrics.file_path = job.file.string();
    metrics.table_name = job.table;
    metrics.started_at = info.started_at.value_or(Time());
    metrics.finished_at = info.finished_at;
    const std::string root = package.content.schema.root_of(job.table);
    const bool has_failed =
        std::any_of(outcome.failed.begin(), outcome.failed.end(),
                    [&](const load::FailedTable& failed) { return failed.table == root; });
    metrics.state = has_failed ? "failed" : "completed";
    info.job_metrics.push_back(std::move(metrics));
    info.bytes += job.bytes;
  }
  for (const destination::LoadedTable& table : outcome.tables) {
    if (table.rows > 0) info.row_counts.emplace_back(table.table, table.rows);
  }
  info.losses += package.content.losses;
}

}  // namespace tidemark::pipeline
