#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tidemark/state/backend.h"
#include "tidemark/state/context.h"
#include "tidemark/state/history.h"

namespace tidemark::state {

enum class MigrateOutcome {
  kCopied,
  kUnchanged,  // the target has the same document already: an earlier migration got so far
  kDiffers,    // the target has another document: left alone unless overwriting was asked for
};

struct MigrateOptions {
  std::string pattern = {};
  bool is_dry_run = false;
  bool overwrites = false;
};

// Copies states with their histories, reads each back and compares it. The source is only read; a
// target that had a history keeps it. Run again it goes on where it stopped. Error
// kLocked or kConflict for a target that others work on. visit is called for each ID in byte order
// when it is done.
void migrate(Backend& from, Backend& to, const Author& author, const MigrateOptions& options,
             const Context& context,
             const std::function<void(std::string_view id, MigrateOutcome outcome)>& visit);

}  // namespace tidemark::state
