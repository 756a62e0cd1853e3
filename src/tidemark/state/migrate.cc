#include "tidemark/state/migrate.h"

#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/state/history.h"
#include "tidemark/state/save.h"

namespace tidemark::state {
namespace {

// Under the rules of a save: a target that somebody writes meanwhile is not overwritten blindly.
// The warnings of the save.
std::vector<std::string> copy_state(Backend& to, const Author& author, const Context& context,
                                    std::string_view id, const Document& document,
                                    const std::optional<StoredState>& expected) {
  const Decide decide = [&](const Round& round) -> Decision {
    if (!is_same(expected, round.current)) return WriteResult(Conflict{.id = {}, .difference = {}});
    return Write{.document = document, .kept = document};
  };
  WriteResult result = save_state(to, author, context, id, decide, {});
  if (auto* saved = std::get_if<Saved>(&result)) return std::move(saved->warnings);
  const bool is_locked = std::holds_alternative<Locked>(result);
  throw Error(
      is_locked ? ErrorCode::kLocked : ErrorCode::kConflict,
      fmt::format("state {} in {}: {}; run the migration again to go on", id, to.states->describe(),
                  is_locked ? "somebody works on it" : "somebody changed it meanwhile"));
}

class Migration {
 public:
  Migration(Backend& from, Backend& to, const Author& author, const MigrateOptions& options,
            const Context& context)
      : from_(from), to_(to), author_(author), options_(options), context_(context) {}

  // Nothing for a state that went while the list was read.
  std::optional<Migrated> migrate(const std::string& id) {
    const auto source = from_.states->load(id);
    if (!source) return std::nullopt;
    Migrated migrated{.id = id};
    if (!options_.overwrites) migrated.holder = find_holder(id);
    migrated.outcome =
        migrated.holder ? MigrateOutcome::kHeld : copy(id, *source, migrated.warnings);
    return migrated;
  }

 private:
  // Who works on the ID in either backend: a run would save where nobody looks any more. Looking
  // writes into neither: a dry run may not, and the source may be read-only.
  std::optional<HeldLease> find_holder(std::string_view id) {
    for (Backend* backend : {&from_, &to_}) {
      auto lease = show_lease(*backend->objects, id, context_);
      if (lease && !lease->is_dead) return lease;
    }
    return std::nullopt;
  }

  MigrateOutcome copy(std::string_view id, const StoredState& source,
                      std::vector<std::string>& warnings) {
    const auto target = to_.states->load(id);
    const std::string hash = document_hash(source.document);
    const bool is_equal = target && document_hash(target->document) == hash;
    if (target && !is_equal && !options_.overwrites) return MigrateOutcome::kDiffers;
    if (options_.is_dry_run) {
      return is_equal ? MigrateOutcome::kUnchanged : MigrateOutcome::kCopied;
    }
    if (!is_equal) warnings = copy_state(to_, author_, context_, id, source.document, target);
    copy_history(id, warnings);
    verify(id, hash);
    return is_equal ? MigrateOutcome::kUnchanged : MigrateOutcome::kCopied;
  }

  // One that cannot be read keeps no state from being copied.
  void copy_history(std::string_view id, std::vector<std::string>& warnings) {
    try {
      join_histories(id);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kCorrupt) throw;
      warnings.push_back(error.message());
    }
  }

  // Where the target had no history the source's comes before the entry of the copy, which is all
  // that an earlier migration may have left.
  void join_histories(std::string_view id) {
    std::vector<HistoryEntry> entries = History(*from_.objects).load(id).entries;
    History target(*to_.objects);
    const HistoryLog log = target.load(id);
    const bool is_copy_alone = log.entries.size() == 1 && log.entries.back().author == author_;
    if (entries.empty() || !(log.entries.empty() || is_copy_alone)) return;
    if (is_copy_alone) {
      HistoryEntry copied = log.entries.back();
      copied.sequence = entries.back().sequence + 1;
      copied.parent = entries.back().hash;
      entries.push_back(std::move(copied));
    }
    target.replace(id, entries);
  }

  void verify(std::string_view id, const std::string& hash) {
    const auto stored = to_.states->load(id);
    if (stored && document_hash(stored->document) == hash) return;
    throw Error(ErrorCode::kCorrupt, fmt::format("state {} reads back from {} other than it was "
                                                 "written",
                                                 id, to_.states->describe()));
  }

  Backend& from_;
  Backend& to_;
  const Author& author_;
  const MigrateOptions& options_;
  Context context_;
};

}  // namespace

void migrate(Backend& from, Backend& to, const Author& author, const MigrateOptions& options,
             const Context& context, const std::function<void(const Migrated& migrated)>& visit) {
  std::vector<std::string> ids;
  from.states->list_whole(options.pattern, [&](std::string_view id) { ids.emplace_back(id); });
  Migration migration(from, to, author, options, context);
  for (const std::string& id : ids) {
    context.cancellation.throw_if_cancelled();
    if (const auto migrated = migration.migrate(id)) visit(*migrated);
  }
}

}  // namespace tidemark::state
