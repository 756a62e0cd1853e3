#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tidemark/json/value.h"
#include "tidemark/state/backend.h"
#include "tidemark/state/context.h"
#include "tidemark/state/difference.h"
#include "tidemark/state/history.h"
#include "tidemark/state/lease.h"
#include "tidemark/state/state_store.h"
#include "tidemark/state/write_lock.h"

namespace tidemark::state {

// The write took effect and is durable.
struct Saved {
  std::optional<StoredState> before = {};
  std::optional<StoredState> after = {};  // nothing: cleared
  // What did not go as it should but does not undo the write: `history of x: …`.
  std::vector<std::string> warnings = {};
};
// Nothing was written: somebody else changed the state meanwhile.
struct Conflict {
  std::string id;
  // From what the writer saw to what is there now.
  std::vector<Difference> difference;
};
// Nothing was written: somebody works on the ID. One of the two.
struct Locked {
  std::string id;
  std::optional<HeldLease> lease = {};
  // The text of Meltano's `lock` that stood there until the wait was over.
  std::optional<std::string> lock = {};
};
// Nothing was written: there is no state of this ID, or no such entry in its history.
struct NotFound {
  std::string what;  // `state x`, `revision 12 of state x`
};
// Nothing was written: the input is not what it must be.
struct Invalid {
  std::string reason;
};
using WriteResult = std::variant<Saved, Conflict, Locked, NotFound, Invalid>;

// What a user was shown before saying yes: nothing else is overwritten.
struct Shown {
  std::optional<StoredState> state;
};

struct WriteOptions {
  // Passes a live lease; a state that changed meanwhile is overwritten.
  bool is_forced = false;
  // Nothing: whatever is there when the write begins.
  std::optional<Shown> shown = {};
};

struct StateDetails {
  StoredState state;
  // Nothing when nobody recorded this document.
  std::optional<HistoryEntry> written = {};
  std::optional<HeldLease> lease = {};
};

struct Locks {
  std::vector<HeldLease> leases;
  std::vector<LockObject> locks;
};

// What `tidemark state` does, over one backend. Every write follows the save protocol: Meltano's
// lock first, then load, change, save by revision, history. Expected outcomes are results; a store
// that fails is an Error. After an Error of a write it is unknown whether it took effect. The
// backend is borrowed.
class StateService {
 public:
  StateService(Backend& backend, Author author, const Context& context);

  // StateStore's own: load() for `get` and `export`, list().
  StateStore& states() { return *backend_.states; }
  std::optional<StateDetails> show(std::string_view id);

  // The completed half becomes `state`, the partial one empty.
  WriteResult set(std::string_view id, const json::Value& state, const WriteOptions& options);
  // Into the partial half. Not stopped by a lease: the run merges on its own side too.
  WriteResult merge(std::string_view id, const json::Value& state);
  // The effective states of all sources, the later ones over the earlier ones. All must exist.
  WriteResult merge_from(std::string_view id, const std::vector<std::string>& sources);
  // The effective state of the source becomes the completed half of the target.
  WriteResult copy(std::string_view source, std::string_view target, const WriteOptions& options);
  // The same, then the source goes, if it still is what was copied. `shown` is the target.
  WriteResult move(std::string_view source, std::string_view target, const WriteOptions& options);
  // Leaves a tombstone in the history, or with `purges_history` nothing.
  WriteResult clear(std::string_view id, bool purges_history, const WriteOptions& options);
  // The whole document, as exported. Halves that are missing or null are empty.
  WriteResult import(std::string_view id, const json::Value& document, const WriteOptions& options);
  // The document of that entry of the history becomes the state again.
  WriteResult rollback(std::string_view id, std::string_view revision, const WriteOptions& options);

  // Oldest first. The state that is there now is the last one, also when nobody recorded it.
  std::vector<HistoryEntry> history(std::string_view id);
  // All leases and locks of the backend.
  Locks locks();
  // Takes the lease of whoever holds it, and removes Meltano's lock. What was there.
  Locks unlock(std::string_view id);

 private:
  Backend& backend_;
  Author author_;
  Context context_;
};

// Why a state is not one that Meltano accepts, without --no-validate; empty when it is.
std::string state_fault(const json::Value& state);

}  // namespace tidemark::state
