#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/state_commands.h"
#include "tidemark/cli/state_confirm.h"
#include "tidemark/cli/state_input.h"
#include "tidemark/cli/state_outcome.h"
#include "tidemark/cli/text_editor.h"
#include "tidemark/json/write.h"

namespace tidemark::cli {
namespace {

// What an edit comes to when there is something to write.
struct Edited {
  std::string text;
  json::Value state;
};

bool wants_to_edit_again(const Console& console) {
  const CliContext& context = console.context();
  if (!context.in->is_terminal()) {
    return false;
  }
  context.err->write("Edit again? [Y/n]: ");
  const auto answer = context.in->read_line();
  context.cancellation->throw_if_cancelled();
  return answer && (answer->empty() || *answer == "y" || *answer == "Y" || *answer == "yes");
}

json::Value checked(const std::string& text) {
  json::Value state = parse_json(text);
  validate_state(state, false);
  return state;
}

// Nothing when the user gave up; the reason was said.
std::optional<Edited> edit(const Console& console, TextEditor& editor, const json::Value& before) {
  for (;;) {
    const std::string text = editor.run();
    if (text == editor.original()) {
      console.note("Edit cancelled - no changes made");
      return std::nullopt;
    }
    if (text.find_first_not_of(" \t\r\n") == text.npos) {
      console.note("Empty content provided - no changes made");
      return std::nullopt;
    }
    try {
      json::Value state = checked(text);
      if (state == before) {
        console.note("No changes detected");
        return std::nullopt;
      }
      return Edited{text, std::move(state)};
    } catch (const Error& error) {
      console.error(error.message());
      if (!wants_to_edit_again(console)) {
        throw Error(ErrorCode::kInvalid, "the state was not changed");
      }
    }
  }
}

}  // namespace

ExitCode run_verb(const Console& console, StateSession& session, const StateEditArguments& verb) {
  session.warn_of_environment(verb.id);
  const auto options =
      confirm_write(console, session, verb.id, verb.is_forced,
                    fmt::format("The state of {} will be overwritten. Continue?", verb.id));
  // What the editor shows is all that may be overwritten; --force overwrites whatever is there.
  const auto stored = session.states().load(verb.id);
  if (!stored) {
    console.note(fmt::format("No state found for {}. Creating new state.", verb.id));
  }
  const json::Value before =
      stored ? state::effective_state(stored->document) : json::Value(json::Object{});
  TextEditor editor(console.context(), json::write_python_pretty(before));
  try {
    const auto edited = edit(console, editor, before);
    if (edited) {
      const auto result = session.service().set(
          verb.id, edited->state, {.is_forced = options.is_forced, .shown = state::Shown{stored}});
      expect_saved(console, result);
      session.record_edit(verb.id, edited->state, state::PayloadFlags::kState);
      console.note(fmt::format("State for {} was successfully updated at {}", verb.id,
                               time_text(console.context().clock->now())));
    }
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}; your text is kept in {}", error.message(),
                                          editor.file().string()));
  }
  editor.remove_file();
  return kDone;
}

}  // namespace tidemark::cli
