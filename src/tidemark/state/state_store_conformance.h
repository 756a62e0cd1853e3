#pragma once

#include <string>
#include <vector>

#include "tidemark/state/state_store.h"

namespace tidemark::state {

// What a store promises beyond the interface.
struct StateStorePromises {
  // Whether keys beside the two halves are stored.
  bool keeps_other_keys = true;
  // Whether remove() heeds its revision.
  bool heeds_remove = true;
  // Whether an ID with a `/` is listed as a whole.
  bool lists_whole_ids = true;
  // Writers at once, and updates of each.
  int writers = 4;
  int updates = 25;
};

// For tests: what an implementation or decorator of StateStore does other than the interface says,
// one sentence each; none when it conforms. The store is empty at first and is left empty.
std::vector<std::string> state_store_faults(StateStore& store, const StateStorePromises& promises);

}  // namespace tidemark::state
