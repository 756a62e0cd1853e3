#pragma once

#include <string>
#include <vector>

#include "tidemark/info/step_info.h"

namespace tidemark::info {

// One job's way into the destination.
struct LoadJobMetrics {
  std::string load_id;
  std::string dataset_name;  // as it is called in the destination
  std::string job_id;
  std::string file_path;
  std::string table_name;
  Time started_at;
  std::optional<Time> finished_at;
  std::string state;  // "completed", "failed", "retry"
  std::optional<std::string> remote_url;
  int retry_count = 0;
  std::vector<std::string> followup_jobs;

  bool operator==(const LoadJobMetrics&) const = default;
};

// dlt's dictionary form.
json::Value to_json(const LoadJobMetrics& job);

// What a load did: the answer of a run.
struct LoadInfo : StepInfo {
  std::string destination_type;                     // "dlt.destinations.duckdb"
  std::string destination_displayable_credentials;  // where it is, without secrets
  std::string destination_name;                     // "duckdb" unless the user named it
  std::optional<std::string> environment;
  std::optional<std::string> staging_type;
  std::optional<std::string> staging_name;
  std::optional<std::string> staging_displayable_credentials;
  std::string destination_fingerprint;
  std::optional<std::string> dataset_name;  // nothing in what dlt writes of an idle run
  std::vector<LoadJobMetrics> job_metrics;
  RowCounts row_counts;  // rows that went into the tables
  uint64_t bytes = 0;    // of the job files
  Losses losses;         // of the packages, whoever normalized them

  bool has_failed_jobs() const;
  // Error kUnavailable that names destination, package and the first job with its message.
  void raise_on_failed_jobs() const;
  bool operator==(const LoadInfo&) const = default;
};

// As dlt prints it, at verbosity 1; that adds rows by table.
std::string to_text(const LoadInfo& info, int verbosity);
// dlt's dictionary form, and back. Error kCorrupt.
json::Value to_json(const LoadInfo& info);
LoadInfo load_info_from_json(const json::Value& value);

}  // namespace tidemark::info
