#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tidemark/json/value.h"
#include "tidemark/state/document.h"

namespace tidemark::state {

// --state-strategy: what the states that a target acknowledges do to the document.
//   kAuto       the completed half becomes the new state; streams it does not name keep theirs.
//               With a full refresh as kMerge.
//   kMerge      merged into the partial half
//   kOverwrite  the completed half becomes the new state and nothing else
enum class StateStrategy { kAuto, kMerge, kOverwrite };

// What a run knows of the document.
struct RunView {
  // As it last read or saved it.
  std::optional<Document> base = {};
  // The value of `singer_state` that its tap started from, later the last one that was saved. Not
  // what base has where others changed a stream that the run did not.
  json::Value seen = {};

  bool operator==(const RunView&) const = default;
};

// What a save of a run makes of the document, and what is to be told of it.
struct RunChange {
  Document document;
  // The part of it that came from the run.
  Document kept = {};
  std::vector<std::string> warnings = {};
};

// state is the value of `singer_state` that is to be saved, current the document that is there now.
// As each strategy says; of what others wrote since the base, kAuto keeps the entries of
// `bookmarks` that the run has not changed. Besides streams it carries along all other members that
// the state does not name, but for `currently_syncing`, which says where inside of a run something
// stopped. Error kInvalid when the current document contradicts the state or itself.
RunChange change_document(StateStrategy strategy, const json::Value& state, const RunView& view,
                          const std::optional<Document>& current);

// The value of `singer_state` that a run starts from; null when there is none.
json::Value singer_state(const std::optional<Document>& document);

}  // namespace tidemark::state
