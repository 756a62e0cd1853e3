#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/info/job_file.h"
#include "tidemark/info/load_package.h"
#include "tidemark/json/value.h"
#include "tidemark/workdir/layout.h"

namespace tidemark::workdir {

inline constexpr std::string_view kSchemaFile = "schema.json";
inline constexpr std::string_view kStateFile = "load_package_state.json";
inline constexpr std::string_view kSchemaUpdatesFile = "schema_updates.json";
inline constexpr std::string_view kAppliedUpdatesFile = "applied_schema_updates.json";
inline constexpr std::string_view kCompletedFile = "package_completed.json";
inline constexpr std::string_view kExceptionsFolder = ".exceptions";
inline constexpr std::string_view kTransitionsFolder = ".pending_transitions";
inline constexpr std::string_view kRestoreFolder = ".restore";
inline constexpr std::string_view kExceptionSuffix = ".exception";

// A job's file in a package directory.
struct Job {
  info::JobState state = info::JobState::kNew;
  info::JobFile file;

  os::Path path(const os::Path& package) const {
    return package / to_string(state) / file.file_name();
  }
};

// In the order of the states, then by name. A missing folder holds none.
std::vector<Job> list_jobs(const os::Path& package);
// Moves the file to another state, under the name of `as`. Durable after sync_jobs().
void move_job(const os::Path& package, const Job& job, info::JobState state,
              const info::JobFile& as);
void sync_jobs(const os::Path& package);
// Puts the job to failed_jobs with the text beside it. Durable after sync_jobs().
void fail_job(const Layout& layout, const os::Path& package, const Job& job,
              std::string_view message);

// Error kCorrupt that names the file.
json::Object read_object(const os::Path& file);
std::optional<json::Object> read_object_if_exists(const os::Path& file);

// Of a new package: created_at from its load id, version 0.
json::Object make_package_state(std::string_view load_id);
// Counts the version up when the content changed; load_metrics do not count.
void bump_package_state(json::Object& state);

// dlt's note that a job has ended but was not moved yet; nothing when there is none.
struct Transition {
  bool is_completed = false;
  std::string failed_message;
};
std::optional<Transition> read_transition(const os::Path& package, const info::JobFile& file);

// The text that the last try of a job left; nothing when there is none.
std::optional<std::string> last_failure(const os::Path& package, const info::JobFile& file);

// When the file was last written.
Time modification_time(const os::Path& file);

// What only tidemark knows of a package; nothing for one of dlt's.
struct Manifest {
  std::vector<PartSummary> parts;
  info::Losses losses;
  std::vector<std::string> replaced_tables;
  json::Value state;

  // By job id, since the retry count in the file's name changes; nullptr when it is not a part.
  const PartSummary* find(const info::JobFile& file) const;
};
std::optional<Manifest> read_manifest(const Layout& layout, std::string_view load_id);
// The table that a job's rows are of: a long name is cut in the name of the file.
const std::string& table_of(const std::optional<Manifest>& manifest, const info::JobFile& file);
void write_manifest(const Layout& layout, std::string_view load_id, const Manifest& manifest);

}  // namespace tidemark::workdir
