#pragma once

#include "tidemark/cli/context.h"
#include "tidemark/cli/state_arguments.h"
#include "tidemark/config/node.h"
#include "tidemark/project/state_backend_settings.h"
#include "tidemark/state/backend.h"

namespace tidemark::cli {

// What a project's settings mean for its state backend. Relative files are against root.
state::BackendOptions backend_options(const project::StateBackendSettings& settings,
                                      const os::Path& root, const os::Path& cache_directory);

// What flags say of the store, as settings.
config::Node store_overrides(const StateStoreOptions& options);

// $XDG_CACHE_HOME/tidemark, else ~/.cache/tidemark.
os::Path cache_directory(const CliContext& context);

}  // namespace tidemark::cli
