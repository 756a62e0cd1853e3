#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/state_commands.h"
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
    case state::MigrateOutcome::kDiffers:
      break;
  }
  return "differs";
}

struct Counts {
  size_t copied = 0;
  size_t unchanged = 0;
  size_t differing = 0;

  void add(state::MigrateOutcome outcome) {
    copied += outcome == state::MigrateOutcome::kCopied;
    unchanged += outcome == state::MigrateOutcome::kUnchanged;
    differing += outcome == state::MigrateOutcome::kDiffers;
  }
};

}  // namespace

ExitCode run_verb(const Console& console, StateSession& session,
                  const StateMigrateArguments& verb) {
  state::Backend to = session.open(verb.to);
  Counts counts;
  json::Array rows;
  auto visit = [&](std::string_view id, state::MigrateOutcome outcome) {
    counts.add(outcome);
    if (console.is_json()) {
      rows.emplace_back(json::Object{{"state_id", id}, {"outcome", outcome_name(outcome)}});
    } else {
      console.result(fmt::format("{}: {}", id, outcome_name(outcome)));
    }
  };
  state::migrate(
      session.backend(), to, session.author(),
      {.pattern = verb.pattern, .is_dry_run = verb.is_dry_run, .overwrites = verb.overwrites},
      session.context(), visit);
  if (console.is_json()) {
    console.result(json::write_pretty(rows));
  }
  if (counts.differing > 0) {
    throw Error(ErrorCode::kConflict,
                fmt::format("{} state(s) of {} differ from those in {}: left alone; --force "
                            "overwrites them",
                            counts.differing, session.states().describe(), to.states->describe()));
  }
  console.note(fmt::format("{} state(s) {} {}, {} were there already", counts.copied,
                           verb.is_dry_run ? "would be copied to" : "were copied to",
                           to.states->describe(), counts.unchanged));
  return kDone;
}

}  // namespace tidemark::cli
