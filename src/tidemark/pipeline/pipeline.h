#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/cancellation.h"
#include "tidemark/base/clock.h"
#include "tidemark/base/random.h"
#include "tidemark/base/secret.h"
#include "tidemark/base/sleeper.h"
#include "tidemark/destination/destination.h"
#include "tidemark/extract/progress.h"
#include "tidemark/info/load_info.h"
#include "tidemark/info/trace.h"
#include "tidemark/pipeline/drop_command.h"
#include "tidemark/source/cursor_window.h"
#include "tidemark/source/resource.h"
#include "tidemark/workdir/dlt_job.h"
#include "tidemark/workdir/package.h"

namespace tidemark::pipeline {

// What a pipeline needs of the world: passed in, so that tests can replace each.
struct Runtime {
  Clock* clock = nullptr;
  Random* random = nullptr;
  Sleeper* sleeper = nullptr;
  const Cancellation* cancellation = nullptr;
  extract::ProgressListener* progress = nullptr;  // may be null
  // Secrets that resources ask for by name; may be empty.
  std::function<Secret(std::string_view)> secret;
  std::string run_dir;  // absolute; where the project lies
  size_t threads = 0;   // 0 = as many as there are cores
};

// What happens to tables and state of the selected resources before they run (dlt 1.31).
enum class Refresh {
  kNone,
  kDropSources,    // all tables and all state of the source
  kDropResources,  // tables and state of the selected resources
  kDropData,       // their rows and state; the tables stay
};

struct PipelineOptions {
  std::string name;
  std::filesystem::path pipelines_dir;  // absolute; the working directory is <pipelines_dir>/<name>
  std::shared_ptr<destination::Destination> destination;
  std::string dataset;  // empty: as stored, else `<name>_dataset`
  bool restore_from_destination = true;
  bool dev_mode = false;  // starts from nothing, in a dataset of its own
  bool raise_on_failed_jobs = true;
  workdir::Retention retention = {};  // of loaded packages
  // In one of dlt's formats a package can be finished by dlt too: state.json and the schema are
  // then, as dlt has them, those after the package as soon as it is sealed.
  workdir::JobFormat job_format = workdir::JobFormat::kColumns;
  // Where the settings came from, for the trace.
  std::vector<info::ResolvedConfigValue> config_values;
};

struct RunOptions {
  Refresh refresh = Refresh::kNone;
  std::vector<std::string> select = {};      // resources; empty = all that are selected
  std::optional<uint64_t> limit_pages = {};  // for each resource
  // Reads a stretch of the cursors' values again; the stored cursors stay where they are. Error
  // kInvalid when a selected resource has no cursor or replaces its table.
  std::optional<source::CursorWindow> window = {};
};

// One pipeline with its working directory locked: nobody else runs it meanwhile. One thread.
//
// Every operation leaves a trace (last_trace) whether it succeeds or throws. Errors are Error with
// step and resource or table in front; after one, what was sealed is still there and the next run()
// finishes it.
class Pipeline {
 public:
  // Opens or creates the working directory and takes its lock. Error kLocked names the holder,
  // kInvalid a destination at another place than the one that was loaded to, or where none can be.
  Pipeline(PipelineOptions options, Runtime runtime);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  const std::string& dataset() const;

  // Finishes what is pending, syncs with the destination, extracts, loads, settles locally
  // (docs/formats/package.md). State and rows become durable together. What each load did: of the
  // packages that were pending, then of the new data, whose info is there even when nothing was
  // new.
  std::vector<info::LoadInfo> run(const source::Source& source, const RunOptions& options = {});
  // Finishes what is pending, extracts nothing.
  std::vector<info::LoadInfo> retry();
  // Takes state and schemas from the destination, in place of the local ones. False when the
  // destination knows nothing of this pipeline; the local ones are gone all the same. Error
  // kConflict while packages are pending.
  bool sync();
  // Gives pending packages up and puts cursors and schemas back to what they were before them.
  // Their ids.
  std::vector<std::string> abort_packages();
  // Syncs, then drops what is selected from destination, schema and state, if confirm agrees to the
  // plan. Nothing when it does not, or when there is nothing to drop. schema_name empty: the
  // default schema.
  std::optional<info::LoadInfo> drop(const DropSelection& selection, std::string_view schema_name,
                                     const std::function<bool(const DropPlan&)>& confirm);

  // Of this object's last operation, else the stored one.
  std::optional<info::Trace> last_trace() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tidemark::pipeline
