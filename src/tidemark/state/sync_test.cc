#include "tidemark/state/sync.h"

#include <gtest/gtest.h>

#include "tidemark/base/error.h"

namespace tidemark::state {
namespace {

// A state that has run: `version` bumps with `cursor` as the last change.
PipelineState state_with(int version, int cursor) {
  PipelineState state = PipelineState::create("p", "/");
  state.set_local("first_run", false);
  for (int i = 1; i < version; ++i) {
    state.source_state("s").set("n", -i);
    state.bump();
  }
  state.source_state("s").set("n", cursor);
  state.bump();
  return state;
}

TEST(DecideSync, EqualContentIsInStep) {
  EXPECT_EQ(decide_sync(state_with(2, 7), state_with(3, 7)), SyncDecision{});
}

TEST(DecideSync, NewerRemoteWins) {
  EXPECT_EQ(decide_sync(state_with(2, 7), state_with(3, 8)),
            (SyncDecision{SyncOutcome::kRemoteNewer, true, false}));
}

TEST(DecideSync, RemoteOfEqualVersionWinsWithAWarning) {
  EXPECT_EQ(decide_sync(state_with(2, 7), state_with(2, 8)),
            (SyncDecision{SyncOutcome::kDiverged, true, true}));
}

TEST(DecideSync, FreshDirectoryTakesTheRemoteWithoutAWarning) {
  PipelineState fresh = PipelineState::create("p", "/");
  PipelineState remote = PipelineState::read(
      R"({"_state_version":0,"_state_engine_version":4,"_version_hash":"h","pipeline_name":"p"})");
  EXPECT_EQ(decide_sync(fresh, remote), (SyncDecision{SyncOutcome::kDiverged, true, false}));
}

TEST(DecideSync, RemoteWinsOverALocalStateThatNothingExplains) {
  EXPECT_EQ(decide_sync(state_with(3, 9), state_with(2, 8)),
            (SyncDecision{SyncOutcome::kLocalAhead, true, true}));
}

TEST(DecideSync, RefusesAnotherPipelinesState) {
  EXPECT_THROW(decide_sync(state_with(1, 1), PipelineState::create("q", "/")), Error);
}

}  // namespace
}  // namespace tidemark::state
