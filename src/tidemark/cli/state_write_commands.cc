#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/state_commands.h"
#include "tidemark/cli/state_confirm.h"
#include "tidemark/cli/state_input.h"
#include "tidemark/cli/state_outcome.h"
#include "tidemark/json/write.h"

namespace tidemark::cli {
namespace {

using state::PayloadFlags;

// Says that it is done: to people on stderr, to programs as the hash that histories show.
ExitCode report(const Console& console, std::string_view id, const state::Saved& saved,
                const std::string& message) {
  if (console.is_json()) {
    console.result(json::write(
        json::Object{{"state_id", id}, {"hash", state::document_hash(saved.after->document)}}));
  } else {
    console.note(fmt::format("{} at {}.", message, time_text(console.context().clock->now())));
  }
  return kDone;
}

state::Saved merge(const Console& console, StateSession& session, const std::string& id,
                   const json::Value& state) {
  const auto result = session.service().merge(id, state);
  state::Saved saved = expect_saved(console, result);
  session.record_edit(id, state, PayloadFlags::kIncompleteState);
  return saved;
}

state::Saved merge_states(const Console& console, StateSession& session,
                          const StateMergeArguments& verb) {
  const auto gathered = session.service().gather(verb.from_state_ids);
  if (const auto* refused = std::get_if<state::WriteResult>(&gathered)) {
    return expect_saved(console, *refused);
  }
  return merge(console, session, verb.id, std::get<json::Value>(gathered));
}

state::Saved merge_input(const Console& console, StateSession& session,
                         const StateMergeArguments& verb) {
  const json::Value state = read_state(console, verb.input, "--from-state-id");
  validate_state(state, false);
  return merge(console, session, verb.id, state);
}

}  // namespace

state::WriteOptions confirm_write(const Console& console, StateSession& session,
                                  std::string_view id, bool is_forced, std::string_view question) {
  if (is_forced || console.options().assume_yes) {
    return {.is_forced = is_forced};
  }
  state::Shown shown{session.states().load(id)};
  console.confirm(question);
  return {.shown = std::move(shown)};
}

ExitCode run_verb(const Console& console, StateSession& session, const StateSetArguments& verb) {
  session.warn_of_environment(verb.id);
  const json::Value state = read_state(console, verb.input);
  if (verb.no_validate) {
    console.warning("the state is taken without a check; it may break the next run");
  } else {
    validate_state(state, true);
  }
  const auto options =
      confirm_write(console, session, verb.id, verb.is_forced,
                    fmt::format("The state of {} will be overwritten. Continue?", verb.id));
  const auto result = session.service().set(verb.id, state, options);
  const state::Saved& saved = expect_saved(console, result);
  session.record_edit(verb.id, state, PayloadFlags::kState);
  return report(console, verb.id, saved, fmt::format("State for {} was successfully set", verb.id));
}

ExitCode run_verb(const Console& console, StateSession& session, const StateMergeArguments& verb) {
  session.warn_of_environment(verb.id);
  if (!verb.from_state_ids.empty() && (verb.input.text || verb.input.file)) {
    throw Error(ErrorCode::kInvalid,
                "exactly one of these must be given: STATE, --input-file, --from-state-id");
  }
  const state::Saved saved = verb.from_state_ids.empty() ? merge_input(console, session, verb)
                                                         : merge_states(console, session, verb);
  return report(console, verb.id, saved,
                fmt::format("State for {} was successfully merged", verb.id));
}

ExitCode run_verb(const Console& console, StateSession& session, const StateCopyArguments& verb) {
  session.warn_of_environment(verb.source);
  const auto options =
      confirm_write(console, session, verb.target, verb.is_forced,
                    fmt::format("The state of {} will be overwritten by that of {}. Continue?",
                                verb.target, verb.source));
  const auto result = session.service().copy(verb.source, verb.target, options);
  const state::Saved& saved = expect_saved(console, result);
  session.record_edit(verb.target, saved.after->document.completed, PayloadFlags::kState);
  return report(
      console, verb.target, saved,
      fmt::format("State for {} was successfully copied from {}", verb.target, verb.source));
}

ExitCode run_verb(const Console& console, StateSession& session, const StateMoveArguments& verb) {
  session.warn_of_environment(verb.target);
  const auto options = confirm_write(
      console, session, verb.target, verb.is_forced,
      fmt::format("The state of {} will be overwritten by that of {}, which is removed. Continue?",
                  verb.target, verb.source));
  const auto result = session.service().move(verb.source, verb.target, options);
  const state::Saved& saved = expect_saved(console, result);
  session.record_edit(verb.target, saved.after->document.completed, PayloadFlags::kState);
  if (!saved.unfinished.empty()) throw Error(ErrorCode::kConflict, saved.unfinished);
  return report(console, verb.target, saved,
                fmt::format("State for {} was successfully moved to {}", verb.source, verb.target));
}

}  // namespace tidemark::cli
