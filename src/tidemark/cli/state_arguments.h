#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tidemark::cli {

// Which store the verbs of `state` work on. What is not given comes from the project, or outside of
// one from the environment.
struct StateStoreOptions {
  std::optional<std::string> state_backend_uri;
  std::optional<std::string> database_uri;
};

// A state on the command line, in a file or on standard input: one of them.
struct StateInput {
  std::optional<std::string> text;
  std::optional<std::string> file;  // - for standard input
};

struct StateListArguments {
  std::string pattern;  // empty: all
};

struct StateGetArguments {
  std::string id;
  std::string format = "json";  // "json", "pretty"
};

struct StateSetArguments {
  std::string id;
  StateInput input;
  bool is_forced = false;
  bool no_validate = false;
};

struct StateEditArguments {
  std::string id;
  bool is_forced = false;
};

struct StateMergeArguments {
  std::string id;
  StateInput input;
  std::vector<std::string> from_state_ids;
};

struct StateCopyArguments {
  std::string source;
  std::string target;
  bool is_forced = false;
};

struct StateMoveArguments {
  std::string source;
  std::string target;
  bool is_forced = false;
};

// One of id, pattern and all.
struct StateClearArguments {
  std::optional<std::string> id;
  std::optional<std::string> pattern;
  bool all = false;
  bool is_forced = false;
  bool purges_history = false;
};

struct StateExportArguments {
  std::string pattern;
};

struct StateImportArguments {
  std::string file = "-";
  bool is_forced = false;
};

struct StateShowArguments {
  std::string id;
};

struct StateHistoryArguments {
  std::string id;
};

struct StateDiffArguments {
  std::string id;
  std::optional<std::string> from;  // nothing: the one before `to`
  std::optional<std::string> to;    // nothing: the state as it is
};

struct StateRollbackArguments {
  std::string id;
  std::string revision;
  bool is_forced = false;
};

// Without run_id: shows what there is.
struct StateRecoverArguments {
  std::optional<std::string> run_id;
  bool is_forced = false;
};

struct StateLocksArguments {};

struct StateUnlockArguments {
  std::string id;
};

struct StateMigrateArguments {
  std::optional<std::string> from;  // nothing: the store of the project
  std::string to;
  std::string pattern;
  bool is_dry_run = false;
  bool overwrites = false;
};

using StateVerb = std::variant<StateListArguments, StateGetArguments, StateSetArguments,
                               StateEditArguments, StateMergeArguments, StateCopyArguments,
                               StateMoveArguments, StateClearArguments, StateExportArguments,
                               StateImportArguments, StateShowArguments, StateHistoryArguments,
                               StateDiffArguments, StateRollbackArguments, StateRecoverArguments,
                               StateLocksArguments, StateUnlockArguments, StateMigrateArguments>;

struct StateArguments {
  StateStoreOptions store;
  StateVerb verb;
};

}  // namespace tidemark::cli
