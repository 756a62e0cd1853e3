#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/info/step_info.h"
#include "tidemark/json/value.h"
#include "tidemark/schema/schema.h"
#include "tidemark/state/pipeline_state.h"
#include "tidemark/workdir/part_file.h"

namespace tidemark::workdir {

enum class PackageStage { kNew, kExtracted, kNormalized, kLoaded };

// What a package says beside its rows; sealed with it.
struct PackageContent {
  schema::Schema schema;
  json::Object schema_updates = {};  // {table: partial table}: what this package adds
  std::vector<PartSummary> parts = {};
  info::Losses losses = {};  // shown again when the package is loaded by a later run
  std::vector<std::string> replaced_tables = {};  // root tables that are to hold just these rows
  // dlt's lists of full table schemas, children first.
  std::vector<json::Object> dropped_tables = {};
  std::vector<json::Object> truncated_tables = {};
  std::optional<std::string> refresh = {};          // mode
  std::optional<json::Object> pipeline_state = {};  // the row of _dlt_pipeline_state in it
  // What state.json becomes, less its local part, once the package is committed, whether or not the
  // destination gets it as a row. Null in a package of dlt's: its state.json is that far already.
  json::Value state = {};
};

// A package that is being made. Destroying it without seal() removes it.
class NewPackage {
 public:
  ~NewPackage();
  NewPackage(const NewPackage&) = delete;
  NewPackage& operator=(const NewPackage&) = delete;

  const std::string& load_id() const;
  // Where part files go.
  const std::filesystem::path& job_directory() const;
  // Copies state.json and schemas as they are into .restore/, writes everything, syncs, and renames
  // to load/normalized/: from then on the package is there, whatever crashes.
  void seal(const PackageContent& content);

 private:
  friend class WorkingDirectory;
  struct Impl;
  explicit NewPackage(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// A job of a sealed package.
struct SealedJob {
  std::string table;
  std::string format;  // kPartFormat, or one of dlt's
  std::filesystem::path file;
  uint64_t rows = 0;  // 0 when dlt wrote it: not known
  uint64_t bytes = 0;
  // dlt broke off while it loaded the job: its rows may be in the destination.
  bool may_be_loaded = false;
};

// A package that waits to be loaded.
struct SealedPackage {
  std::string load_id;
  std::filesystem::path path;
  PackageContent content;
  // By file name. Jobs that dlt has completed already are left out where it has appended them;
  // where it replaces or merges, what it did is done again with all of them.
  std::vector<SealedJob> jobs;
};

// What stays of the packages in loaded/. Whole ones are kept by number. Of those with failed jobs
// and of those that were given up the row files are kept by number and age; the documents, which
// hold their cursors, stay.
struct Retention {
  size_t loaded = 10;
  size_t failed = 10;
  std::chrono::hours failed_age = std::chrono::hours(24 * 30);
};

// Whether trying a failed job again can help.
enum class FailureKind { kTransient, kTerminal };

// What the destination did with a package.
struct CompletedLoad {
  json::Object applied_schema_updates;
  std::map<std::string, std::string> failed_tables;  // message by table
  json::Object load_metrics;                         // {job id: metrics}, as dlt writes it
};

}  // namespace tidemark::workdir
