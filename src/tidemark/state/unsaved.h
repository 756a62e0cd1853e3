#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/clock.h"
#include "tidemark/base/error.h"
#include "tidemark/base/random.h"
#include "tidemark/json/value.h"
#include "tidemark/os/files.h"
#include "tidemark/state/history.h"
#include "tidemark/state/run_change.h"

namespace tidemark::state {

// What a run's target acknowledged and no store took: kept in a file until `tidemark state recover`
// saves it by the rules that the run would have saved it by.
struct UnsavedState {
  std::string id = {};
  Author author = {};
  // When the run gave up, by the clock of its machine.
  Time time{};
  // Of the store that did not take it, for people.
  std::string store = {};
  StateStrategy strategy = StateStrategy::kAuto;
  json::Value state = {};  // of `singer_state`
  RunView view = {};

  bool operator==(const UnsavedState&) const = default;
};

// One line of JSON. Error kCorrupt when the text is none of these.
std::string write_unsaved(const UnsavedState& unsaved);
UnsavedState read_unsaved(std::string_view text);

// Writes it into the directory, made when missing, under a name of its run and ID; durable when it
// returns. The file.
os::Path keep_unsaved(const os::Path& directory, const UnsavedState& unsaved, Random& random);

struct UnsavedFile {
  os::Path file;
  UnsavedState unsaved;
};
struct UnsavedFiles {
  std::vector<UnsavedFile> found = {};  // the oldest first
  std::vector<Error> faults = {};       // kCorrupt, of files that are none of these
};
// What a directory holds; nothing where there is none.
UnsavedFiles list_unsaved(const os::Path& directory);

// Where the runs of a project keep them, below its system directory (`.meltano`).
os::Path unsaved_directory(const os::Path& system_directory);

}  // namespace tidemark::state
