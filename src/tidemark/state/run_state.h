#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tidemark/base/error.h"
#include "tidemark/json/page.h"
#include "tidemark/json/value.h"
#include "tidemark/os/files.h"
#include "tidemark/state/backend.h"
#include "tidemark/state/context.h"
#include "tidemark/state/history.h"
#include "tidemark/state/lease.h"
#include "tidemark/state/periodic.h"
#include "tidemark/state/run_change.h"
#include "tidemark/state/run_records.h"
#include "tidemark/state/save.h"
#include "tidemark/state/state_store.h"
#include "tidemark/state/write_result.h"

namespace tidemark::state {

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
  // Where a state that cannot be saved is kept: unsaved_directory() of the project.
  os::Path unsaved_directory = {};
  // Called after each save by the thread that saved. It does not throw. May be empty.
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
  // call: the store did not answer, or others keep it busy. Throws what will not pass by waiting:
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
  // What was accepted and is not saved. A complete state stays text until it is saved: most of them
  // are replaced before.
  struct Pending {
    std::string last_line;
    std::optional<json::Value> merged = {};  // of partial states; without, last_line is all
    // How many lines made it so far: tells whether more came while it was being saved.
    uint64_t lines = 0;
    size_t bytes = 0;
  };

  static json::Value state_of(const Pending& pending);
  StateLine check(std::string_view line);
  bool is_due() const;
  bool save(const Pending& pending);
  Decision decide(const json::Value& state, const Round& round);
  void settle(const Pending& pending, const json::Value& state, const Saved& saved);
  bool try_last();
  bool may_pass() const;
  bool pause() const;
  Kept keep() const;

  Backend& backend_;
  Lease& lease_;
  RunStateOptions options_;
  Context context_;
  // With a full refresh already taken into account.
  StateStrategy strategy_;
  std::optional<json::Value> start_;

  // One save at a time; what is below is looked at meanwhile.
  std::mutex saving_;
  RunView view_;
  // Hashes of what was written since the last save that was answered: one may have arrived.
  std::set<std::string, std::less<>> attempts_;
  std::vector<std::string> warnings_;
  std::optional<Error> error_;

  mutable std::mutex mutex_;
  json::Parser parser_;
  std::optional<Pending> pending_;
  std::optional<std::chrono::steady_clock::time_point> tried_at_;
};

// Calls save_if_due() in a thread of its own until it is destroyed, which is before finish().
class RunStateSaver {
 public:
  // failed is called once, from the thread, with what save_if_due() threw: the tap is to be
  // stopped, the target drained. What happens to the lease is said by its keeper.
  RunStateSaver(RunState& state, std::function<void(const Error& error)> failed);

 private:
  Periodic periodic_;
};

}  // namespace tidemark::state
