#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/state_commands.h"
#include "tidemark/cli/state_outcome.h"
#include "tidemark/json/write.h"
#include "tidemark/os/files.h"
#include "tidemark/state/unsaved.h"

namespace tidemark::cli {
namespace {

using state::UnsavedFile;
using state::UnsavedState;

json::Value row_of(const UnsavedFile& found) {
  const UnsavedState& unsaved = found.unsaved;
  return json::Object{{"run_id", unsaved.author.run_id},
                      {"state_id", unsaved.id},
                      {"time", time_text(unsaved.time)},
                      {"who", unsaved.author.who},
                      {"operation", unsaved.author.operation},
                      {"store", unsaved.store},
                      {"state", unsaved.state},
                      {"file", found.file.native()}};
}

std::string text_of(const UnsavedFile& found) {
  const UnsavedState& unsaved = found.unsaved;
  return fmt::format("{}  {}  {}: {}\n  {}\n", unsaved.author.run_id, time_text(unsaved.time),
                     unsaved.id, json::write_python(unsaved.state), found.file.native());
}

void show(const Console& console, const std::vector<UnsavedFile>& files) {
  json::Array rows;
  std::string text;
  for (const UnsavedFile& found : files) {
    rows.push_back(row_of(found));
    text += text_of(found);
  }
  if (console.is_json()) {
    console.result(json::write_pretty(rows));
  } else if (files.empty()) {
    console.note("every run has saved its state");
  } else {
    console.result(text);
  }
}

std::vector<UnsavedFile> of_run(std::vector<UnsavedFile> files, const std::string& run_id) {
  std::erase_if(files,
                [&](const UnsavedFile& found) { return found.unsaved.author.run_id != run_id; });
  if (files.empty()) {
    throw Error(ErrorCode::kNotFound,
                fmt::format("run {} has left nothing; 'tidemark state recover' lists what there is",
                            run_id));
  }
  return files;
}

// The project may name another store since.
void check_store(const UnsavedState& unsaved, const std::string& store) {
  if (unsaved.store == store) return;
  throw Error(ErrorCode::kConflict,
              fmt::format("run {} was to save state {} in {}, not in {}; --force saves it here all "
                          "the same",
                          unsaved.author.run_id, unsaved.id, unsaved.store, store));
}

// What a save would change now, as the question shows it.
std::string changes_of(StateSession& session, const UnsavedState& unsaved) {
  std::optional<state::Document> current;
  if (auto stored = session.states().load(unsaved.id)) current = std::move(stored->document);
  const state::RunChange change =
      state::change_document(unsaved.strategy, unsaved.state, unsaved.view, current);
  return difference_text(state::differences(current, change.document));
}

// The hash of what is stored then.
std::string recover(const Console& console, StateSession& session, const UnsavedFile& found,
                    bool is_forced) {
  const UnsavedState& unsaved = found.unsaved;
  session.warn_of_environment(unsaved.id);
  if (!is_forced) {
    check_store(unsaved, session.states().describe());
    console.confirm(fmt::format("State {} takes what run {} could not save:\n{}Continue?",
                                unsaved.id, unsaved.author.run_id, changes_of(session, unsaved)));
  }
  const auto result = session.service().recover(unsaved, {.is_forced = is_forced});
  const state::Saved& saved = expect_saved(console, result);
  os::remove_file(found.file);
  return state::document_hash(saved.after->document);
}

}  // namespace

ExitCode run_verb(const Console& console, StateSession& session,
                  const StateRecoverArguments& verb) {
  state::UnsavedFiles files = state::list_unsaved(session.unsaved_directory());
  for (const Error& fault : files.faults) {
    console.error(fault.message());
  }
  if (!verb.run_id) {
    show(console, files.found);
    return files.faults.empty() ? kDone : kFailed;
  }
  json::Array rows;
  for (const UnsavedFile& found : of_run(std::move(files.found), *verb.run_id)) {
    const std::string hash = recover(console, session, found, verb.is_forced);
    rows.emplace_back(json::Object{{"state_id", found.unsaved.id}, {"hash", hash}});
    console.note(fmt::format("State for {} was successfully recovered", found.unsaved.id));
  }
  if (console.is_json()) {
    console.result(json::write_pretty(rows));
  }
  return kDone;
}

}  // namespace tidemark::cli
