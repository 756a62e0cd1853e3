#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "tidemark/state/backend.h"
#include "tidemark/state/context.h"
#include "tidemark/state/history.h"
#include "tidemark/state/lease.h"
#include "tidemark/state/state_store.h"
#include "tidemark/state/write_result.h"

namespace tidemark::state {

// The state that a save found when it began, and the one that it finds now: another one after a
// conflict.
struct Round {
  const std::optional<StoredState>& first;
  const std::optional<StoredState>& current;
};

bool is_same(const std::optional<StoredState>& a, const std::optional<StoredState>& b);

// What is stored. A document that cannot be read counts as an empty one, and is given as it is.
struct Found {
  std::optional<StoredState> state = {};
  std::optional<std::string> unreadable = {};
};
Found find_state(StateStore& states, std::string_view id);

// Becomes the document of the ID.
struct Write {
  Document document;
  // What must be found again where Meltano writes too: the effective state of this document in the
  // one that is there then.
  Document kept;
};
// The ID loses its document.
struct Removal {};
// What to do with what a round found; a result ends the save.
using Decision = std::variant<Write, Removal, WriteResult>;
using Decide = std::function<Decision(const Round& round)>;

struct SaveOptions {
  // Renewed on a conflict; without the right to save nothing is written.
  Lease* lease = nullptr;
  bool purges_history = false;
  // A document that cannot be read is kept aside and counts as an empty one, not as an Error.
  bool replaces_unreadable = false;
};

// One save of one ID, by the protocol that all of tidemark's writers follow: Meltano's lock, load,
// decide, save by revision, history, release; after a conflict again from the load, ten times at
// the most. Where Meltano was met within a day, which writes without looking, the save is
// acknowledged only after what it wrote was found again. decide is called once a round. Throws what
// the store throws; then it is unknown whether it took effect.
WriteResult save_state(Backend& backend, const Author& author, const Context& context,
                       std::string_view id, const Decide& decide, const SaveOptions& options);

}  // namespace tidemark::state
