#pragma once

#include "tidemark/state/pipeline_state.h"

namespace tidemark::state {

// How the state of the working directory and the one in the destination stand to each other.
enum class SyncOutcome {
  kInStep,       // equal content
  kRemoteNewer,  // the destination's version is higher
  kDiverged,     // equal version, other content
  kLocalAhead,   // the local version is higher, and no package explains it
};

struct SyncDecision {
  SyncOutcome outcome = SyncOutcome::kInStep;
  bool take_remote = false;
  // Progress that the local side knew is given up: say so, with both sides' cursors.
  bool must_warn = false;

  bool operator==(const SyncDecision&) const = default;
};

// Which side a run starts from when no package is pending: the destination, since what it holds was
// committed together with its rows and what only the working directory holds was not. Error
// kInvalid when the states are of two pipelines.
SyncDecision decide_sync(const PipelineState& local, const PipelineState& remote);

}  // namespace tidemark::state
