#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/cancellation.h"
#include "tidemark/base/clock.h"
#include "tidemark/base/random.h"
#include "tidemark/destination/destination.h"
#include "tidemark/extract/progress.h"
#include "tidemark/info/load_info.h"
#include "tidemark/info/trace.h"
#include "tidemark/source/resource.h"

namespace tidemark::pipeline {

// What a pipeline needs of the world: passed in, so that tests can replace each.
struct Runtime {
  Clock* clock = nullptr;
  Random* random = nullptr;
  const Cancellation* cancellation = nullptr;
  extract::ProgressListener* progress = nullptr;  // may be null
  std::string run_dir;                            // absolute; where the project lies
  size_t threads = 0;                             // 0 = as many as there are cores
};

enum class Refresh { kNone, kDropSources, kDropResources, kDropData };

struct PipelineOptions {
  std::string name;
  std::filesystem::path pipelines_dir;  // absolute; the working directory is <pipelines_dir>/<name>
  std::shared_ptr<destination::Destination> destination;
  std::string dataset;                  // empty: as stored, else `<name>_dataset`
  bool restore_from_destination = true;
  bool dev_mode = false;
  bool raise_on_failed_jobs = true;
  size_t loaded_packages_kept = 10;
};

struct RunOptions {
  Refresh refresh = Refresh::kNone;
  std::vector<std::string> select;      // resources; empty = all that are selected
  std::optional<uint64_t> limit_pages;  // for each resource
};

// What a run did.
struct RunResult {
  std::vector<info::LoadInfo> loads;  // of the packages that were pending, then of the new data
};

// One pipeline with its working directory locked: nobody else runs it meanwhile. One thread.
//
// Every operation leaves a trace (last_trace) whether it succeeds or throws. Errors are Error with step and
// resource or job in front; after one, what was sealed is still there and the next run() finishes it.
class Pipeline {
 public:
  // Opens or creates the working directory and takes its lock. Error kLocked names the holder.
  Pipeline(PipelineOptions options, Runtime runtime);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // Finishes what is pending, syncs with the destination, extracts, loads, settles locally
  // (docs/formats/package.md). State and rows become durable together.
  RunResult run(const source::Source& source, const RunOptions& options = {});
  // Finishes what is pending, extracts nothing.
  RunResult retry();
  // Takes state and schemas from the destination; wipes the local view first. False when the destination
  // knows nothing of this pipeline.
  bool sync();
  // Gives pending packages up and puts cursors and schemas back to what they were before them. The ids.
  std::vector<std::string> abort_packages();

  std::optional<info::Trace> last_trace() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tidemark::pipeline
