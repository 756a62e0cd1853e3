#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/state/backend.h"
#include "tidemark/state/context.h"
#include "tidemark/state/history.h"
#include "tidemark/state/lease.h"

namespace tidemark::state {

enum class MigrateOutcome {
  kCopied,
  kUnchanged,  // the target has the same document already: an earlier migration got so far
  kDiffers,    // the target has another document: left alone unless overwriting was asked for
  kHeld,       // somebody works on it, here or there, and would miss the other: left alone likewise
};

struct Migrated {
  std::string id;
  MigrateOutcome outcome = MigrateOutcome::kCopied;
  std::optional<HeldLease> holder = {};  // of kHeld
  // What did not go as it should but undoes nothing: of the save, and a history that cannot be
  // read.
  std::vector<std::string> warnings = {};
};

struct MigrateOptions {
  std::string pattern = {};
  bool is_dry_run = false;
  // Other documents of the target, and states that somebody works on.
  bool overwrites = false;
};

// Copies states with their histories, reads each back and compares it. The source is only read; a
// target that had a history keeps it. Run again it goes on where it stopped. Error kLocked or
// kConflict for a target that somebody writes at the same moment. visit is called for each ID in
// byte order when it is done.
void migrate(Backend& from, Backend& to, const Author& author, const MigrateOptions& options,
             const Context& context, const std::function<void(const Migrated& migrated)>& visit);

}  // namespace tidemark::state
