#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tidemark/state/difference.h"
#include "tidemark/state/lease.h"
#include "tidemark/state/state_store.h"

namespace tidemark::state {

// The write took effect and is durable.
struct Saved {
  std::optional<StoredState> before = {};
  std::optional<StoredState> after = {};  // nothing: cleared
  // What did not go as it should but does not undo the write: `history of x: …`.
  std::vector<std::string> warnings = {};
  // Of an operation in two steps, why the second one was not made; empty otherwise.
  std::string unfinished = {};
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

}  // namespace tidemark::state
