#include "tidemark/state/sync.h"

#include <fmt/format.h>

#include "tidemark/base/error.h"

namespace tidemark::state {

SyncDecision decide_sync(const PipelineState& local, const PipelineState& remote) {
  if (local.pipeline_name() != remote.pipeline_name()) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("the destination's state is of pipeline {}, expected {}",
                            remote.pipeline_name(), local.pipeline_name()));
  }
  if (local.version_hash() == remote.version_hash()) return {};
  if (remote.version() > local.version()) return {SyncOutcome::kRemoteNewer, true, false};
  // A working directory that was just made has nothing to lose.
  bool has_progress = !local.is_first_run() && local.document().find("sources") != nullptr;
  if (remote.version() == local.version()) return {SyncOutcome::kDiverged, true, has_progress};
  return {SyncOutcome::kLocalAhead, true, has_progress};
}

}  // namespace tidemark::state
