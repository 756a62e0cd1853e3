#include "tidemark/cli/commands.h"
#include "tidemark/cli/state_commands.h"

namespace tidemark::cli {
namespace {

// What leases and histories call each verb.
struct OperationName {
  std::string_view operator()(const StateListArguments&) const { return "state list"; }
  std::string_view operator()(const StateGetArguments&) const { return "state get"; }
  std::string_view operator()(const StateSetArguments&) const { return "state set"; }
  std::string_view operator()(const StateEditArguments&) const { return "state edit"; }
  std::string_view operator()(const StateMergeArguments&) const { return "state merge"; }
  std::string_view operator()(const StateCopyArguments&) const { return "state copy"; }
  std::string_view operator()(const StateMoveArguments&) const { return "state move"; }
  std::string_view operator()(const StateClearArguments&) const { return "state clear"; }
  std::string_view operator()(const StateExportArguments&) const { return "state export"; }
  std::string_view operator()(const StateImportArguments&) const { return "state import"; }
  std::string_view operator()(const StateShowArguments&) const { return "state show"; }
  std::string_view operator()(const StateHistoryArguments&) const { return "state history"; }
  std::string_view operator()(const StateDiffArguments&) const { return "state diff"; }
  std::string_view operator()(const StateRollbackArguments&) const { return "state rollback"; }
  std::string_view operator()(const StateRecoverArguments&) const { return "state recover"; }
  std::string_view operator()(const StateLocksArguments&) const { return "state locks"; }
  std::string_view operator()(const StateUnlockArguments&) const { return "state unlock"; }
  std::string_view operator()(const StateMigrateArguments&) const { return "state migrate"; }
};

// --from of a migration is the store that is opened first.
StateStoreOptions store_of(const StateArguments& arguments) {
  StateStoreOptions store = arguments.store;
  if (const auto* migrate = std::get_if<StateMigrateArguments>(&arguments.verb);
      migrate && migrate->from) {
    store.state_backend_uri = migrate->from;
  }
  return store;
}

}  // namespace

ExitCode run_state(const Console& console, const StateArguments& arguments) {
  StateSession session(console, store_of(arguments), std::visit(OperationName{}, arguments.verb));
  return std::visit([&](const auto& verb) { return run_verb(console, session, verb); },
                    arguments.verb);
}

}  // namespace tidemark::cli
