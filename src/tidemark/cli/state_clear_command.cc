#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/state_commands.h"
#include "tidemark/cli/state_outcome.h"
#include "tidemark/json/write.h"

namespace tidemark::cli {
namespace {

// So many IDs are named in the question; the rest is counted.
constexpr size_t kNamed = 10;

std::string question(const std::vector<std::string>& ids, bool purges_history) {
  std::string names;
  for (size_t i = 0; i < std::min(ids.size(), kNamed); ++i) {
    names += fmt::format("  {}\n", ids[i]);
  }
  if (ids.size() > kNamed) {
    names += fmt::format("  and {} more\n", ids.size() - kNamed);
  }
  return fmt::format("{} state(s) will be cleared{}:\n{}Continue?", ids.size(),
                     purges_history ? " with their histories" : "", names);
}

ExitCode clear_one(const Console& console, StateSession& session, const std::string& id,
                   const StateClearArguments& verb) {
  session.warn_of_environment(id);
  state::WriteOptions options{.is_forced = verb.is_forced};
  if (!verb.is_forced && !console.options().assume_yes) {
    options.shown = session.service().look(id);
    console.confirm(fmt::format("The state of {} will be cleared{}. Continue?", id,
                                verb.purges_history ? " with its history" : ""));
  }
  const auto result = session.service().clear(id, verb.purges_history, options);
  // As in Meltano: what is gone already counts as cleared.
  const bool was_there = !std::holds_alternative<state::NotFound>(result);
  if (was_there) {
    expect_saved(console, result);
  } else {
    console.note(fmt::format("there was no state {}", id));
  }
  if (console.is_json()) {
    console.result(
        json::write(json::Object{{"cleared", was_there ? json::Array{id} : json::Array{}}}));
  }
  return kDone;
}

// Whether there was one; none means that somebody else cleared it since it was listed.
bool clear_listed(const Console& console, StateSession& session, const std::string& id,
                  const StateClearArguments& verb) {
  const auto result =
      session.service().clear(id, verb.purges_history, {.is_forced = verb.is_forced});
  if (std::holds_alternative<state::NotFound>(result)) return false;
  expect_saved(console, result);
  return true;
}

// One that is locked or cannot be read keeps none of the others.
bool stops_one_alone(const Error& error) {
  return error.code() == ErrorCode::kLocked || error.code() == ErrorCode::kConflict ||
         error.code() == ErrorCode::kCorrupt;
}

ExitCode clear_many(const Console& console, StateSession& session,
                    const StateClearArguments& verb) {
  std::vector<std::string> ids;
  session.states().list_whole(verb.pattern.value_or(""),
                              [&](std::string_view id) { ids.emplace_back(id); });
  if (!ids.empty() && !verb.is_forced) {
    console.confirm(question(ids, verb.purges_history));
  }
  json::Array cleared;
  std::optional<Error> first;
  for (const std::string& id : ids) {
    try {
      if (clear_listed(console, session, id, verb)) cleared.emplace_back(id);
    } catch (const Error& error) {
      if (!stops_one_alone(error)) throw;
      console.error(error.message());
      if (!first) first = error;
    }
  }
  const size_t count = cleared.size();
  if (console.is_json()) {
    console.result(json::write(json::Object{{"cleared", std::move(cleared)}}));
  }
  if (first) {
    throw Error(first->code(), fmt::format("{} of {} states were cleared", count, ids.size()));
  }
  console.note(fmt::format("{} state(s) were successfully cleared", count));
  return kDone;
}

}  // namespace

ExitCode run_verb(const Console& console, StateSession& session, const StateClearArguments& verb) {
  return verb.id ? clear_one(console, session, *verb.id, verb) : clear_many(console, session, verb);
}

}  // namespace tidemark::cli
