#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tidemark/cli/arguments.h"

namespace tidemark::cli {

// How words of the command line become a list.
struct CommaSeparated {  // --select a,b --select c
  std::vector<std::string>* list;
};
struct Repeated {  // --from a --from b
  std::vector<std::string>* list;
};
struct AllThatFollow {  // --state-paths a b, or positional words
  std::vector<std::string>* list;
};

// Where the value of an option goes. Untouched when the option is not given.
using OptionTarget =
    std::variant<bool*, int*, std::string*, std::optional<std::string>*, std::optional<uint64_t>*,
                 CommaSeparated, Repeated, AllThatFollow>;

// What a value names, for the completion of words.
enum class NamedThing {
  kNone,
  kStateId,
  kPipeline,
  kPlugin,
  kSettings,  // what `config` takes: a plugin or meltano
  kEnvironment,
  kJob,
  kSchedule,
  kBlock,  // what `run` takes
};

// An option or a positional argument. A bool is a flag, an int counts how often its flag is given.
struct OptionSpec {
  std::string names;  // "--to", "-v,--verbose"; in capitals for a positional one: "SOURCE"
  OptionTarget target;
  std::string help;
  bool is_required = false;
  std::vector<std::string> choices = {};  // compared without regard to case, given as spelt here
  std::string excludes = {};              // an option that must not be given beside this one
  NamedThing thing = NamedThing::kNone;
};

// A command: what it takes, the commands below it, and what its words make.
struct CommandSpec {
  std::string name;
  std::string help;  // empty: works, but is not listed
  std::vector<OptionSpec> options = {};
  std::vector<CommandSpec> commands = {};
  // Called when this command was the innermost one that was named and all targets are filled; keeps
  // them alive. Error kInvalid is a usage error. Without it the command is a group: named alone, it
  // shows its help.
  std::function<Command()> result = {};
  // Everything behind the first word that is no option of this command is taken as it is, what
  // looks like an option too.
  bool passes_words_on = false;
};

}  // namespace tidemark::cli
