#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/clock.h"
#include "tidemark/info/job_file.h"
#include "tidemark/json/value.h"

namespace tidemark::info {

// The folder of a package that a job's file lies in.
enum class JobState { kNew, kStarted, kCompleted, kFailed };
inline constexpr std::array kJobStates = {JobState::kNew, JobState::kStarted, JobState::kCompleted,
                                          JobState::kFailed};
std::string_view to_string(JobState state);  // "new_jobs", ...

// How far a package is.
enum class PackageState { kNew, kExtracted, kNormalized, kLoaded, kAborted };
std::string_view to_string(PackageState state);  // "new", ...

struct LoadJobInfo {
  JobState state = JobState::kNew;
  std::string file_path;
  uint64_t file_size = 0;
  Time created_at;                       // when the file was written, not when the job started
  std::chrono::microseconds elapsed{0};  // until the package was completed, or now
  JobFile job_file_info;
  std::optional<std::string> failed_message;

  bool operator==(const LoadJobInfo&) const = default;
};

struct LoadPackageInfo {
  std::string load_id;
  std::string package_path;
  PackageState state = PackageState::kNew;
  std::string schema_name;
  std::string schema_hash;
  json::Object schema_update;  // what the load changed in the destination: {table: partial table}
  std::optional<Time> completed_at;
  std::vector<LoadJobInfo> jobs;  // in the order of kJobStates, then by name
  std::optional<std::string> refresh;
  std::vector<std::string> dropped_tables;
  std::vector<std::string> truncated_tables;
  bool has_pending_transitions = false;

  size_t count_jobs(JobState job_state) const;
  // Jobs that failed and wait to be tried again.
  size_t count_retried_jobs() const;

  bool operator==(const LoadPackageInfo&) const = default;
};

// As dlt prints them at that verbosity, without a newline at the end. 1 adds error texts and the
// tables that were dropped and truncated.
std::string to_text(const LoadJobInfo& job, int verbosity);
std::string to_text(const LoadPackageInfo& package, int verbosity);

// dlt's dictionary form: `jobs` flat, `tables` as a list with its columns as lists.
json::Value to_json(const LoadPackageInfo& package);
// Reads it back. Error kCorrupt.
LoadPackageInfo load_package_from_json(const json::Value& value);

}  // namespace tidemark::info
