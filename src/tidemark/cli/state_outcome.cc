#include "tidemark/cli/state_outcome.h"

#include <chrono>

#include <fmt/format.h>

#include "tidemark/base/datetime.h"
#include "tidemark/base/error.h"
#include "tidemark/cli/terminal_text.h"
#include "tidemark/json/write.h"

namespace tidemark::cli {
namespace {

Error error_of(const state::Conflict& conflict) {
  return Error(ErrorCode::kConflict,
               fmt::format("state {} has changed meanwhile, nothing was written; what changed:\n"
                           "{}--force overwrites it",
                           conflict.id, difference_text(conflict.difference)));
}

Error error_of(const state::Locked& locked) {
  if (locked.lease) {
    return Error(
        ErrorCode::kLocked,
        fmt::format("state {0} is held by {1}; nothing was written. 'tidemark state unlock "
                    "{0}' takes it away from a holder that is gone",
                    locked.id, holder_text(*locked.lease)));
  }
  return Error(
      ErrorCode::kLocked,
      fmt::format("state {0} is locked by another tool (its lock says {1}); nothing was "
                  "written. 'tidemark state unlock {0}' removes a lock that was left behind",
                  locked.id, terminal_line(locked.lock.value_or("nothing"))));
}

Error error_of(const state::NotFound& not_found) {
  return Error(ErrorCode::kNotFound, fmt::format("there is no {}; 'tidemark state list' and "
                                                 "'tidemark state history ID' show what there is",
                                                 not_found.what));
}

Error error_of(const state::Invalid& invalid) { return Error(ErrorCode::kInvalid, invalid.reason); }

[[noreturn]] void refuse(const state::WriteResult& result) {
  if (const auto* conflict = std::get_if<state::Conflict>(&result)) throw error_of(*conflict);
  if (const auto* locked = std::get_if<state::Locked>(&result)) throw error_of(*locked);
  if (const auto* not_found = std::get_if<state::NotFound>(&result)) throw error_of(*not_found);
  throw error_of(std::get<state::Invalid>(result));
}

}  // namespace

const state::Saved& expect_saved(const Console& console, const state::WriteResult& result) {
  const auto* saved = std::get_if<state::Saved>(&result);
  if (saved == nullptr) {
    refuse(result);
  }
  for (const std::string& warning : saved->warnings) {
    console.warning(warning);
  }
  return *saved;
}

std::string difference_text(const std::vector<state::Difference>& differences) {
  std::string text;
  for (const state::Difference& difference : differences) {
    if (difference.before) {
      text += fmt::format("- {}: {}\n", difference.path, json::write_python(*difference.before));
    }
    if (difference.after) {
      text += fmt::format("+ {}: {}\n", difference.path, json::write_python(*difference.after));
    }
  }
  return text;
}

json::Value difference_json(const std::vector<state::Difference>& differences) {
  json::Array rows;
  for (const state::Difference& difference : differences) {
    json::Object row{{"path", difference.path}};
    if (difference.before) row.set("before", *difference.before);
    if (difference.after) row.set("after", *difference.after);
    rows.emplace_back(std::move(row));
  }
  return rows;
}

std::string holder_text(const state::HeldLease& lease) {
  return terminal_line(state::describe(lease));
}

std::string author_text(const state::HistoryEntry& entry) {
  if (entry.is_foreign()) {
    return "another tool";
  }
  const state::Author& author = entry.author;
  return terminal_line(fmt::format("{}: {}{}", author.who, author.operation,
                                   author.run_id.empty() ? "" : ", run " + author.run_id));
}

std::string time_text(Time time) {
  return fmt::format("{:.19}+0000",
                     format_iso(Time(std::chrono::floor<std::chrono::seconds>(time)), ' '));
}

}  // namespace tidemark::cli
