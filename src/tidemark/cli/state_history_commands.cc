#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/state_commands.h"
#include "tidemark/cli/state_confirm.h"
#include "tidemark/cli/state_outcome.h"
#include "tidemark/json/write.h"

namespace tidemark::cli {
namespace {

using Entries = std::vector<state::HistoryEntry>;

json::Value entry_json(const state::HistoryEntry& entry) {
  return json::Object{{"revision", entry.sequence},
                      {"time", time_text(entry.time)},
                      {"hash", entry.hash},
                      {"parent", entry.parent},
                      {"who", entry.author.who},
                      {"operation", entry.author.operation},
                      {"run_id", entry.author.run_id},
                      {"is_foreign", entry.is_foreign()},
                      {"is_cleared", entry.is_tombstone()}};
}

std::string entry_line(const state::HistoryEntry& entry) {
  return fmt::format("{:>8}  {}  {:.8}  {}{}\n", entry.sequence, time_text(entry.time), entry.hash,
                     author_text(entry), entry.is_tombstone() ? "  (cleared)" : "");
}

Entries load_history(StateSession& session, const std::string& id) {
  Entries entries = session.service().history(id);
  if (entries.empty()) {
    throw Error(
        ErrorCode::kNotFound,
        fmt::format("state {} has no history; 'tidemark state list' shows what there is", id));
  }
  return entries;
}

const state::HistoryEntry& expect_entry(const Entries& entries, const std::string& id,
                                        const std::string& revision) {
  const state::HistoryEntry* entry = state::find_entry(entries, revision);
  if (entry == nullptr) {
    throw Error(ErrorCode::kNotFound,
                fmt::format("state {0} has no revision {1}; 'tidemark state history {0}' lists "
                            "those that are kept",
                            id, revision));
  }
  return *entry;
}

std::vector<state::Difference> chosen_differences(const Entries& entries,
                                                  const StateDiffArguments& verb) {
  const state::HistoryEntry& to =
      verb.to ? expect_entry(entries, verb.id, *verb.to) : entries.back();
  if (verb.from) {
    return state::differences(expect_entry(entries, verb.id, *verb.from).document, to.document);
  }
  const auto place = static_cast<size_t>(&to - entries.data());
  return state::differences(place == 0 ? std::nullopt : entries[place - 1].document, to.document);
}

}  // namespace

ExitCode run_verb(const Console& console, StateSession& session,
                  const StateHistoryArguments& verb) {
  const Entries entries = load_history(session, verb.id);
  if (console.is_json()) {
    json::Array rows;
    for (const state::HistoryEntry& entry : entries) rows.push_back(entry_json(entry));
    console.result(json::write_pretty(rows));
    return kDone;
  }
  std::string text = "revision  time                      hash      who and what\n";
  for (const state::HistoryEntry& entry : entries) {
    text += entry_line(entry);
  }
  console.result(text);
  return kDone;
}

ExitCode run_verb(const Console& console, StateSession& session, const StateDiffArguments& verb) {
  const auto differences = chosen_differences(load_history(session, verb.id), verb);
  if (console.is_json()) {
    console.result(json::write_pretty(difference_json(differences)));
  } else if (differences.empty()) {
    console.note("no difference");
  } else {
    console.result(difference_text(differences));
  }
  return kDone;
}

ExitCode run_verb(const Console& console, StateSession& session,
                  const StateRollbackArguments& verb) {
  session.warn_of_environment(verb.id);
  const Entries entries = load_history(session, verb.id);
  const state::HistoryEntry& entry = expect_entry(entries, verb.id, verb.revision);
  const std::string changes =
      difference_text(state::differences(entries.back().document, entry.document));
  const auto options = confirm_write(console, session, verb.id, verb.is_forced,
                                     fmt::format("State {} becomes revision {} again:\n{}Continue?",
                                                 verb.id, entry.sequence, changes));
  const auto result = session.service().rollback(verb.id, verb.revision, options);
  expect_saved(console, result);
  if (console.is_json()) {
    console.result(json::write(
        json::Object{{"state_id", verb.id}, {"revision", entry.sequence}, {"hash", entry.hash}}));
  } else {
    console.note(fmt::format("State {} is revision {} again", verb.id, entry.sequence));
  }
  return kDone;
}

}  // namespace tidemark::cli
