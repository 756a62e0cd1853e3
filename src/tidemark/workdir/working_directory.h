#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/clock.h"
#include "tidemark/base/random.h"
#include "tidemark/info/load_package.h"
#include "tidemark/info/trace.h"
#include "tidemark/schema/schema.h"
#include "tidemark/state/pipeline_state.h"
#include "tidemark/workdir/package.h"

namespace tidemark::workdir {

// dlt's folders of a pipeline on this machine (docs/formats/package.md). What is only tidemark's
// lies in `.tidemark/`. Every change is durable when its call returns, and a crash at any point
// leaves what the next open() can go on from.
class WorkingDirectory {
 public:
  enum class Access { kRead, kWrite };

  // kWrite: makes <pipelines_dir>/<pipeline_name> when missing, takes its lock (Error kLocked names
  // the holder) and tidies up after a crash: unsealed packages are removed, completed ones moved to
  // loaded/. kRead: Error kNotFound when it is missing; nothing is changed, whoever holds the lock.
  static std::unique_ptr<WorkingDirectory> open(const std::filesystem::path& pipelines_dir,
                                                std::string_view pipeline_name, Access access,
                                                Clock& clock, Random& random);
  ~WorkingDirectory();
  WorkingDirectory(const WorkingDirectory&) = delete;
  WorkingDirectory& operator=(const WorkingDirectory&) = delete;

  const std::filesystem::path& path() const;

  // Nothing when there is no state.json.
  std::optional<state::PipelineState> read_state() const;
  void write_state(const state::PipelineState& state);

  // Error kCorrupt for a file that was edited by hand.
  std::optional<schema::Schema> read_schema(std::string_view name) const;
  void write_schema(const schema::Schema& schema);
  void remove_schemas();

  // Nothing when there is none or it cannot be read.
  std::optional<info::Trace> read_trace() const;
  // Removes dlt's trace.pickle, which would show an older run as the last one.
  void write_trace(const info::Trace& trace);

  // Load ids in order. kNew: unsealed, of a run at work. kExtracted: dlt's, not normalized.
  // kNormalized: sealed, to be loaded. kLoaded: loaded or aborted.
  std::vector<std::string> packages(PackageStage stage) const;
  // What waits to be loaded: sealed packages, then those that dlt has not normalized.
  std::vector<std::string> pending_packages() const;
  // Error kNotFound.
  info::LoadPackageInfo package_info(std::string_view load_id) const;

  // The greater of now and the next number above every id here and newest_known, which is that of
  // the destination.
  std::string new_load_id(const std::optional<std::string>& newest_known);
  // Begins a package in load/new/.
  std::unique_ptr<NewPackage> begin_package(std::string_view load_id);
  SealedPackage read_sealed(std::string_view load_id) const;

  // After the destination has committed: jobs to completed_jobs (those of failed_tables to
  // failed_jobs with their text), applied_schema_updates.json, package_completed.json, one rename
  // to loaded/. Files of loaded rows shrink to nothing, and what retention does not keep goes.
  void complete_package(std::string_view load_id, const CompletedLoad& load,
                        const Retention& retention = {});
  // Notes that a load failed: the jobs of table go back to new_jobs with a higher retry count, the
  // text to .exceptions/.
  void note_failure(std::string_view load_id, std::string_view table, FailureKind kind,
                    std::string_view message);
  // Gives the package up: moved to loaded/ as aborted, state.json and schemas back from its
  // .restore/, newer packages removed. False when the package holds nothing to restore (made by an
  // old dlt).
  bool abort_package(std::string_view load_id);
  // Everything but the lock and `.tidemark/`.
  void wipe();

 private:
  struct Impl;
  explicit WorkingDirectory(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The state of a pipeline, whoever holds its lock; nothing when there is no such pipeline or it has
// none yet.
std::optional<state::PipelineState> stored_state(const std::filesystem::path& pipelines_dir,
                                                 std::string_view pipeline_name, Clock& clock,
                                                 Random& random);

// Names of the pipelines below a folder, each with the time of its last run, newest first.
struct PipelineEntry {
  std::string name;
  std::optional<Time> last_run;
};
std::vector<PipelineEntry> list_pipelines(const std::filesystem::path& pipelines_dir);

}  // namespace tidemark::workdir
