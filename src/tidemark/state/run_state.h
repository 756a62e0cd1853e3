#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tidemark/base/error.h"
#include "tidemark/json/value.h"
#include "tidemark/os/files.h"
#include "tidemark/state/backend.h"
#include "tidemark/state/context.h"
#include "tidemark/state/history.h"
#include "tidemark/state/lease.h"
#include "tidemark/state/run_records.h"
#include "tidemark/state/state_store.h"

namespace tidemark::state {

// --state-strategy: what the states that a target acknowledges do to the document.
//   kAuto       the completed half becomes the new state; streams that it does not name keep
//   theirs.
//               With a full refresh as kMerge.
//   kMerge      merged into the partial half
//   kOverwrite  the completed half becomes the new state and nothing else
enum class StateStrategy { kAuto, kMerge, kOverwrite };

// What became durable.
struct RunSave {
  // The newest state that is in it, as the target wrote it, and the half it went to: what Meltano
  // keeps in `runs.payload` and `payload_flags`.
  json::Value state;
  PayloadFlags flags = PayloadFlags::kNone;
  // Of what others wrote meanwhile, and what became of it.
  std::vector<std::string> warnings = {};
};

struct RunStateOptions {
  std::string id = {};
  // who, operation and the run's ID: one run is one entry of the history.
  Author author = {};
  StateStrategy strategy = StateStrategy::kAuto;
  bool is_full_refresh = false;
  // Where a state that cannot be saved is kept: <the project's system directory>/unsaved-states.
  os::Path unsaved_directory = {};
  // Called after each save by the thread that saved. May be empty.
  std::function<void(const RunSave& save)> saved = {};
};

// What became of a line of the target's output.
enum class StateLine {
  kAccepted,
  // `null`, `{}`, `{"bookmarks": {}}`: no scalar in it. It erases nothing, so it is passed over.
  kEmpty,
  // JSON, but no object: no tap could start from it. Passed over.
  kNoObject,
  kNoJson,
};

// How the state of a run ended.
struct AllSaved {};
// Acknowledged, but neither saved nor lost: `tidemark state recover` saves it from the file.
struct Kept {
  os::Path file;
  Error error;  // why it is not saved
};
// Somebody else took the lease over. Nothing more was written, neither to the store nor to a file:
// the taker started from what was saved.
struct TakenOver {
  HeldLease taker;
};
using RunStateEnd = std::variant<AllSaved, Kept, TakenOver>;

// The state of one ID in the course of a run: what the run starts from, and what its target
// acknowledges on the way. Thread-safe.
//
// Every save compares with what this run last read or saved (the base). What others changed since
// then: a complete save goes by entry of `bookmarks`, and takes theirs where only they changed it;
// `overwrite` takes ours, theirs stays in the history; a partial save is merged into theirs.
//
// The cancellation of the context, which the backend shares, is not one that a signal sets: states
// are saved until the target has ended. Whoever sets it gives up saving.
class RunState {
 public:
  // Reads what is stored. The lease, which holds the ID, and the backend are borrowed. Throws what
  // the store throws: the run does not begin then.
  RunState(Backend& backend, Lease& lease, RunStateOptions options, const Context& context);
  RunState(const RunState&) = delete;
  RunState& operator=(const RunState&) = delete;

  // The value of `singer_state` that the tap starts from. Nothing: from the beginning, as there is
  // none, or as a full refresh leaves it aside.
  const std::optional<json::Value>& start() const { return start_; }

  // One line of the target's standard output. It becomes pending: a complete state replaces the
  // pending one, a partial one is merged into it. Does not wait for the store. Error kInvalid when
  // the target contradicts itself, so that the merge is not defined.
  StateLine accept(std::string_view line);

  // Saves what is pending if it is time: at once when nothing was saved yet, then kSavePause after
  // the last try, or earlier for much of it. False when it was not saved but may be at the next
  // call: the store did not answer, or others are too fast. Throws what will not pass by waiting:
  // the run is to be stopped then.
  bool save_if_due();
  // Saves what is pending, renewing the lease if need be, or keeps it. To be called once, when the
  // target has ended, also after a signal and after an Error, while the lease is held. Error only
  // when what is left can not even be kept.
  RunStateEnd finish();

  // So long states gather before they are saved, or until so many bytes of them came in.
  static constexpr std::chrono::seconds kSavePause{5};
  static constexpr std::chrono::seconds kShortestPause{1};
  static constexpr size_t kManyBytes = size_t{1} << 20;

 private:
  std::optional<json::Value> start_;
};

// Calls save_if_due() in a thread of its own until it is destroyed, which is before finish().
class RunStateSaver {
 public:
  // failed is called once, from the thread, with what save_if_due() threw: the tap is to be
  // stopped, the target drained. What happens to the lease is said by its keeper.
  RunStateSaver(RunState& state, std::function<void(const Error& error)> failed);
  ~RunStateSaver();
  RunStateSaver(const RunStateSaver&) = delete;
  RunStateSaver& operator=(const RunStateSaver&) = delete;

 private:
  struct Thread;
  std::unique_ptr<Thread> thread_;
};

}  // namespace tidemark::state
