#include <memory>
#include <utility>

#include "tidemark/base/error.h"
#include "tidemark/cli/parse_commands.h"

namespace tidemark::cli {
namespace {

using StorePtr = std::shared_ptr<StateStoreOptions>;

OptionSpec positional(std::string name, OptionTarget target, std::string help) {
  return {.names = std::move(name), .target = target, .help = std::move(help), .is_required = true};
}

OptionSpec state_id(std::string& target) {
  OptionSpec option = positional("STATE_ID", &target, "As 'list' shows it");
  option.thing = NamedThing::kStateId;
  return option;
}

OptionSpec source_id(std::string& target, std::string help) {
  OptionSpec option = positional("SRC_STATE_ID", &target, std::move(help));
  option.thing = NamedThing::kStateId;
  return option;
}

OptionSpec force(bool& target) {
  return {"--force", &target, "No question; pass over a lock and a change in between"};
}

// A verb with its options, which are made from its arguments.
template <typename Verb>
CommandSpec verb_spec(
    const StorePtr& store, std::string_view name, std::string_view help,
    std::vector<OptionSpec> (*options)(Verb&), void (*check)(const Verb&) = [](const Verb&) {}) {
  auto verb = std::make_shared<Verb>();
  return {.name = std::string(name),
          .help = std::string(help),
          .options = options(*verb),
          .result = [store, verb, check]() -> Command {
            check(*verb);
            return StateArguments{*store, *verb};
          }};
}

CommandSpec list_spec(const StorePtr& store) {
  return verb_spec<StateListArguments>(
      store, "list", "The state IDs, one a line", [](StateListArguments& verb) {
        return std::vector<OptionSpec>{
            {"--pattern", &verb.pattern, "Only those that match: * stands for anything"}};
      });
}

CommandSpec get_spec(const StorePtr& store) {
  return verb_spec<StateGetArguments>(
      store, "get", "The state that the next run starts from", [](StateGetArguments& verb) {
        return std::vector<OptionSpec>{state_id(verb.id),
                                       {.names = "--format",
                                        .target = &verb.format,
                                        .help = "On one line, or with an indentation",
                                        .choices = {"json", "pretty"}}};
      });
}

CommandSpec set_spec(const StorePtr& store) {
  return verb_spec<StateSetArguments>(store, "set", "Replace a state", [](StateSetArguments& verb) {
    return std::vector<OptionSpec>{
        state_id(verb.id),
        {"STATE", &verb.input.text, "The state as JSON"},
        {"--input-file", &verb.input.file, "A file with it instead; - for standard input"},
        force(verb.is_forced),
        {"--no-validate", &verb.no_validate, "Take JSON without 'singer_state' too"}};
  });
}

CommandSpec edit_spec(const StorePtr& store) {
  return verb_spec<StateEditArguments>(
      store, "edit", "Change a state with $VISUAL or $EDITOR", [](StateEditArguments& verb) {
        return std::vector<OptionSpec>{state_id(verb.id), force(verb.is_forced)};
      });
}

CommandSpec merge_spec(const StorePtr& store) {
  return verb_spec<StateMergeArguments>(
      store, "merge", "Merge a state into the stored one", [](StateMergeArguments& verb) {
        return std::vector<OptionSpec>{
            state_id(verb.id),
            {"STATE", &verb.input.text, "The state as JSON"},
            {"--input-file", &verb.input.file, "A file with it instead; - for standard input"},
            {.names = "--from-state-id",
             .target = Repeated{&verb.from_state_ids},
             .help = "Another state instead; may be given again, later ones win",
             .thing = NamedThing::kStateId}};
      });
}

CommandSpec copy_spec(const StorePtr& store) {
  return verb_spec<StateCopyArguments>(
      store, "copy", "Copy a state to another ID", [](StateCopyArguments& verb) {
        return std::vector<OptionSpec>{
            source_id(verb.source, "What is copied"),
            positional("DST_STATE_ID", &verb.target, "What is overwritten"), force(verb.is_forced)};
      });
}

CommandSpec move_spec(const StorePtr& store) {
  return verb_spec<StateMoveArguments>(
      store, "move", "Move a state to another ID", [](StateMoveArguments& verb) {
        return std::vector<OptionSpec>{
            source_id(verb.source, "What is moved, and gone afterwards"),
            positional("DST_STATE_ID", &verb.target, "What is overwritten"), force(verb.is_forced)};
      });
}

void check_clear(const StateClearArguments& verb) {
  if (int{verb.id.has_value()} + int{verb.all} + int{verb.pattern.has_value()} != 1) {
    throw Error(ErrorCode::kInvalid,
                "a state ID, --pattern or --all must be given, and only one of them");
  }
}

CommandSpec clear_spec(const StorePtr& store) {
  return verb_spec<StateClearArguments>(
      store, "clear", "Remove states",
      [](StateClearArguments& verb) {
        return std::vector<OptionSpec>{
            {.names = "STATE_ID",
             .target = &verb.id,
             .help = "As 'list' shows it",
             .thing = NamedThing::kStateId},
            {"--all", &verb.all, "All there are"},
            {"--pattern", &verb.pattern, "Those that match: * stands for anything"},
            force(verb.is_forced),
            {"--purge", &verb.purges_history, "Their histories too: there is no way back"}};
      },
      check_clear);
}

CommandSpec export_spec(const StorePtr& store) {
  return verb_spec<StateExportArguments>(
      store, "export", "All states as one JSON object", [](StateExportArguments& verb) {
        return std::vector<OptionSpec>{
            {"--pattern", &verb.pattern, "Only those that match: * stands for anything"}};
      });
}

CommandSpec import_spec(const StorePtr& store) {
  return verb_spec<StateImportArguments>(
      store, "import", "Take over what 'export' wrote", [](StateImportArguments& verb) {
        return std::vector<OptionSpec>{
            {"INPUT_FILE", &verb.file, "- for standard input, which is the default"},
            force(verb.is_forced)};
      });
}

CommandSpec show_spec(const StorePtr& store) {
  return verb_spec<StateShowArguments>(
      store, "show", "A state with who wrote it, and both its halves",
      [](StateShowArguments& verb) { return std::vector<OptionSpec>{state_id(verb.id)}; });
}

CommandSpec history_spec(const StorePtr& store) {
  return verb_spec<StateHistoryArguments>(
      store, "history", "The revisions that are kept of a state",
      [](StateHistoryArguments& verb) { return std::vector<OptionSpec>{state_id(verb.id)}; });
}

CommandSpec diff_spec(const StorePtr& store) {
  return verb_spec<StateDiffArguments>(
      store, "diff", "What changed in a state", [](StateDiffArguments& verb) {
        return std::vector<OptionSpec>{
            state_id(verb.id),
            {"FROM", &verb.from, "A revision as 'history' shows it; the one before by default"},
            {"TO", &verb.to, "A revision; the state as it is by default"}};
      });
}

CommandSpec rollback_spec(const StorePtr& store) {
  return verb_spec<StateRollbackArguments>(
      store, "rollback", "Bring back a revision of a state", [](StateRollbackArguments& verb) {
        return std::vector<OptionSpec>{
            state_id(verb.id),
            positional("REVISION", &verb.revision, "Its number or hash as 'history' shows it"),
            force(verb.is_forced)};
      });
}

CommandSpec recover_spec(const StorePtr& store) {
  return verb_spec<StateRecoverArguments>(
      store, "recover", "Save what a run could not save, or list what there is of it",
      [](StateRecoverArguments& verb) {
        return std::vector<OptionSpec>{{"RUN", &verb.run_id, "The run's ID as the list shows it"},
                                       {"--force", &verb.is_forced,
                                        "No question; pass over a lock, and save it in another "
                                        "store than the run would have"}};
      });
}

CommandSpec locks_spec(const StorePtr& store) {
  return verb_spec<StateLocksArguments>(
      store, "locks", "Who works on which state",
      [](StateLocksArguments&) { return std::vector<OptionSpec>{}; });
}

CommandSpec unlock_spec(const StorePtr& store) {
  return verb_spec<StateUnlockArguments>(
      store, "unlock", "Take the lock of a state away from its holder",
      [](StateUnlockArguments& verb) { return std::vector<OptionSpec>{state_id(verb.id)}; });
}

CommandSpec migrate_spec(const StorePtr& store) {
  return verb_spec<StateMigrateArguments>(
      store, "migrate", "Copy states with their histories to another store",
      [](StateMigrateArguments& verb) {
        return std::vector<OptionSpec>{
            {"--from", &verb.from, "URI of the store to read; the project's by default"},
            positional("--to", &verb.to, "URI of the store to write"),
            {"--pattern", &verb.pattern, "Only IDs that match: * stands for anything"},
            {"--dry-run", &verb.is_dry_run, "Say what would be copied"},
            {"--force", &verb.overwrites,
             "Also where the target has another state, or somebody works on it"}};
      });
}

}  // namespace

CommandSpec state_spec() {
  auto store = std::make_shared<StateStoreOptions>();
  return {
      .name = "state",
      .help = "Look at the states of pipelines, and change them",
      .options = {{"--state-backend-uri", &store->state_backend_uri,
                   "The store instead of what settings say: systemdb, file://, s3://, gs://, "
                   "azure://"},
                  {"--database-uri", &store->database_uri, "The system database"}},
      .commands = {list_spec(store), get_spec(store), set_spec(store), edit_spec(store),
                   merge_spec(store), copy_spec(store), move_spec(store), clear_spec(store),
                   export_spec(store), import_spec(store), show_spec(store), history_spec(store),
                   diff_spec(store), rollback_spec(store), recover_spec(store), locks_spec(store),
                   unlock_spec(store), migrate_spec(store)}};
}

}  // namespace tidemark::cli
