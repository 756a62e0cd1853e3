#pragma once

#include <optional>
#include <string>

#include "tidemark/os/environment.h"

namespace tidemark::project {

// How a command looks at the environments of a project; what Meltano's commands do differs.
enum class EnvironmentUse {
  kNone,               // init, add: none, a given one is ignored
  kExplicit,           // state, job, config: only what was asked for
  kExplicitOrDefault,  // run, el: else the project's default
};

// What was asked for and where the rest is looked up.
struct EnvironmentChoice {
  EnvironmentUse use = EnvironmentUse::kExplicitOrDefault;
  std::optional<std::string> flag = {};  // --environment; empty text for --no-environment
};

// The name of the active environment: the flag, else $TIDEMARK_ENVIRONMENT or $MELTANO_ENVIRONMENT
// of the process, else of .env, else the setting `default_environment`, which is empty when it is
// not set. `null` in any case is none. A variable of the process that is empty hides those of .env.
std::optional<std::string> choose_environment(const EnvironmentChoice& choice,
                                              const os::Environment& process,
                                              const os::Environment& dotenv,
                                              const std::string& default_environment);

}  // namespace tidemark::project
