#pragma once

#include <string>

#include "tidemark/os/files.h"
#include "tidemark/project/blocks.h"
#include "tidemark/runner/set_run.h"
#include "tidemark/state/run_records.h"
#include "tidemark/state/run_state.h"

namespace tidemark::runner {

// Where a run's state and its record are. Borrowed.
struct StateAccess {
  state::Backend& backend;
  state::Lease& lease;  // holds the IDs of all sets
  state::RunRecords& records;
  // Not cancelled by a signal: what a target acknowledges is saved after one too.
  state::Context context;
  state::Author author;
  os::Path unsaved_directory;  // for states that cannot be saved
};

struct RecordedRunOptions {
  std::string state_id;
  std::string run_id;
  state::StateStrategy strategy = state::StateStrategy::kAuto;
  // Runs although Meltano's records say that another run is under way.
  bool is_forced = false;
  SetOptions set = {};
};

// Runs a set with its state: from what is stored, saving what the target acknowledges, with
// Meltano's record in `runs`. Returns when all is done and saved. Error otherwise,
// and then the record says why: kInvalid for plugins that failed, kLocked for another run,
// kCancelled after a signal, kTimeout behind the deadline. What was acknowledged is saved in each
// case that allows it.
void run_recorded(const RunContext& context, const RunDirectory& directory,
                  const project::BlockSet& set, const RecordedRunOptions& options,
                  const StateAccess& access);

}  // namespace tidemark::runner
