#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/error.h"
#include "tidemark/os/files.h"
#include "tidemark/project/blocks.h"
#include "tidemark/runner/prepared_plugin.h"
#include "tidemark/runner/recorded_run.h"
#include "tidemark/runner/set_run.h"
#include "tidemark/state/backend.h"
#include "tidemark/state/run_records.h"
#include "tidemark/state/run_state.h"
#include "tidemark/state/state_store.h"

namespace tidemark::runner {

// What the blocks of one line of `run` have in common.
struct LineOptions {
  std::string run_id;
  // Of the one set there is, as `el` has it; nothing: made of environment, tap, target and suffix.
  std::optional<std::string> state_id = {};
  // Nothing: what the environment says.
  std::optional<std::string> suffix = {};
  state::StateStrategy strategy = state::StateStrategy::kAuto;
  bool updates_state = true;
  // No set begins unless a state is stored for each of them: none is loaded from the beginning.
  bool requires_state = false;
  bool is_forced = false;
  SetOptions set = {};
};

// Where states and records are. Borrowed.
struct LineStores {
  state::Backend& backend;
  state::RunRecords& records;
  state::Context context;  // not cancelled by a signal
  std::string who;         // `user@host`
  os::Path log_directory;  // Meltano's
};

// Runs the blocks one after the other, up to the first that fails. The leases of all sets are taken
// before the first begins, and held until the last has ended. run_pipeline runs what this module
// does not know. What a block failed with, which is logged; nothing when all is done. Throws what
// keeps the line from beginning: kLocked names who holds a lease.
std::optional<Error> run_line(
    const RunContext& context, const std::vector<project::Block>& blocks,
    const LineOptions& options, const LineStores& stores,
    const std::function<void(const project::PipelineBlock&)>& run_pipeline);

// What a tap starts from by what is stored of an ID; nothing: from the beginning.
std::optional<json::Value> stored_state(state::StateStore& states, std::string_view id);

// What run_line() would do, as log lines.
void describe_line(Log& log, const std::vector<project::Block>& blocks);

}  // namespace tidemark::runner
