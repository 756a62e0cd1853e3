#pragma once

#include "tidemark/config/node.h"
#include "tidemark/project/layered_settings.h"

namespace tidemark::project {

// The layers of a project's own settings. Variables are $TIDEMARK_NAME, else $MELTANO_NAME.
// environment is the process under MELTANO_PROJECT_ROOT and the like, under `env:` of the project;
// overrides is a map of what flags say, or null. An environment of the project plays no part.
LayeredSettings project_settings(const config::Node& document, const Variables& environment,
                                 const Variables& dotenv, const config::Node& overrides = {});

// What a project says of variables that are not set: `ff.strict_env_var_mode` of its own settings.
config::MissingVariable missing_variable(const LayeredSettings& settings);

// Whether a key of a project file is a setting, and no part of the grammar.
bool is_setting_key(std::string_view key);

}  // namespace tidemark::project
