#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tidemark/json/value.h"
#include "tidemark/state/backend.h"
#include "tidemark/state/context.h"
#include "tidemark/state/history.h"
#include "tidemark/state/lease.h"
#include "tidemark/state/save.h"
#include "tidemark/state/state_store.h"
#include "tidemark/state/unsaved.h"
#include "tidemark/state/write_lock.h"
#include "tidemark/state/write_result.h"

namespace tidemark::state {

// What a user was shown before saying yes: nothing else is overwritten.
struct Shown {
  std::optional<StoredState> state;
};

struct WriteOptions {
  // Passes a live lease; a state that changed meanwhile is overwritten, and so is one that cannot
  // be read, which is kept aside.
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
  StateStore& states() const { return *backend_.states; }
  std::optional<StateDetails> show(std::string_view id);
  // What is there, for a question before it goes: a document that cannot be read counts as an empty
  // one.
  Shown look(std::string_view id);

  // The completed half becomes `state`, the partial one empty.
  WriteResult set(std::string_view id, const json::Value& state, const WriteOptions& options);
  // Into the partial half. Not stopped by a lease: the run merges on its own side too.
  WriteResult merge(std::string_view id, const json::Value& state);
  // What a merge of several states merges: their effective states, the later ones over the earlier
  // ones. NotFound or Invalid when there is one that is missing or contradicts itself or others.
  std::variant<json::Value, WriteResult> gather(const std::vector<std::string>& sources);
  // The effective state of the source becomes the completed half of the target.
  WriteResult copy(std::string_view source, std::string_view target, const WriteOptions& options);
  // The same, then the source goes, if it still is what was copied; else it stays, and `unfinished`
  // says so. `shown` is the target.
  WriteResult move(std::string_view source, std::string_view target, const WriteOptions& options);
  // Leaves a tombstone in the history, or with `purges_history` nothing. What cannot be read is
  // kept aside.
  WriteResult clear(std::string_view id, bool purges_history, const WriteOptions& options);
  // The whole document, as read_exported() reads it.
  WriteResult import(std::string_view id, const Document& document, const WriteOptions& options);
  // The document of that entry of the history becomes the state again.
  WriteResult rollback(std::string_view id, std::string_view revision, const WriteOptions& options);

  // What a run could not save, by the rules and with the base that the run would have saved it by.
  WriteResult recover(const UnsavedState& unsaved, const WriteOptions& options);

  // Oldest first. The state that is there now is the last one, also when nobody recorded it.
  std::vector<HistoryEntry> history(std::string_view id) const;
  // All leases and locks of the backend.
  Locks locks();
  // Those of one ID.
  Locks locks_of(std::string_view id);
  // Takes the lease of whoever holds it, and removes Meltano's lock. What was there.
  Locks unlock(std::string_view id);

 private:
  using MakeDocument = std::function<Document(const Round& round)>;

  std::optional<Locked> find_live_lease(std::string_view id, const WriteOptions& options);
  std::variant<std::unique_ptr<Lease>, Locked> take_leases(std::vector<std::string> ids,
                                                           const WriteOptions& options);
  WriteResult overwrite(std::string_view id, const WriteOptions& options, Lease* lease,
                        const MakeDocument& make);
  WriteResult remove(std::string_view id, const std::optional<StoredState>& shown,
                     bool purges_history, bool is_forced, Lease& lease);

  Backend& backend_;
  Author author_;
  Context context_;
};

// A document as `state export` writes it. Halves that are missing or null are empty. Error kInvalid
// for what is none.
Document read_exported(const json::Value& document);

// Why a state is not one that Meltano accepts, without --no-validate; empty when it is.
std::string state_fault(const json::Value& state);

}  // namespace tidemark::state
