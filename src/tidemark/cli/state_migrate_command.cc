#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/state_commands.h"
#include "tidemark/cli/state_outcome.h"
#include "tidemark/json/write.h"
#include "tidemark/state/migrate.h"

namespace tidemark::cli {
namespace {

std::string_view outcome_name(state::MigrateOutcome outcome) {
  switch (outcome) {
    case state::MigrateOutcome::kCopied:
      return "copied";
    case state::MigrateOutcome::kUnchanged:
      return "unchanged";
    case state::MigrateOutcome::kHeld:
      return "held";
    case state::MigrateOutcome::kDiffers:
      break;
  }
  return "differs";
}

struct Counts {
  size_t copied = 0;
  size_t unchanged = 0;
  size_t differing = 0;
  size_t held = 0;

  void add(state::MigrateOutcome outcome) {
    copied += outcome == state::MigrateOutcome::kCopied;
    unchanged += outcome == state::MigrateOutcome::kUnchanged;
    differing += outcome == state::MigrateOutcome::kDiffers;
    held += outcome == state::MigrateOutcome::kHeld;
  }
};

json::Value row_of(const state::Migrated& migrated) {
  json::Object row{{"state_id", migrated.id}, {"outcome", outcome_name(migrated.outcome)}};
  if (migrated.holder) row.set("held_by", holder_text(*migrated.holder));
  return row;
}

std::string line_of(const state::Migrated& migrated) {
  const std::string holder = migrated.holder ? " by " + holder_text(*migrated.holder) : "";
  return fmt::format("{}: {}{}", migrated.id, outcome_name(migrated.outcome), holder);
}

}  // namespace

ExitCode run_verb(const Console& console, StateSession& session,
                  const StateMigrateArguments& verb) {
  state::Backend to = session.open(verb.to);
  Counts counts;
  json::Array rows;
  auto visit = [&](const state::Migrated& migrated) {
    counts.add(migrated.outcome);
    for (const std::string& warning : migrated.warnings) console.warning(warning);
    if (console.is_json()) {
      rows.push_back(row_of(migrated));
    } else {
      console.result(line_of(migrated));
    }
  };
  state::migrate(
      session.backend(), to, session.author(),
      {.pattern = verb.pattern, .is_dry_run = verb.is_dry_run, .overwrites = verb.overwrites},
      session.context(), visit);
  if (console.is_json()) {
    console.result(json::write_pretty(rows));
  }
  if (counts.differing + counts.held > 0) {
    throw Error(counts.held > 0 ? ErrorCode::kLocked : ErrorCode::kConflict,
                fmt::format("{} state(s) of {} differ from those in {}, {} are being worked on: "
                            "left alone; --force copies them all the same",
                            counts.differing, session.states().describe(), to.states->describe(),
                            counts.held));
  }
  console.note(fmt::format("{} state(s) {} {}, {} were there already", counts.copied,
                           verb.is_dry_run ? "would be copied to" : "were copied to",
                           to.states->describe(), counts.unchanged));
  return kDone;
}

}  // namespace tidemark::cli
