#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tidemark/cli/arguments.h"
#include "tidemark/cli/console.h"
#include "tidemark/project/plugin.h"
#include "tidemark/runner/block_line.h"

namespace tidemark::cli {

// Fills in what was not given from $TIDEMARK_RUN_*, else from Meltano's variables of these options.
void add_run_variables(const CliContext& context, PluginRunOptions& options, bool& full_refresh);

// Seconds that the variable RUN_TIMEOUT allows. Error kInvalid for one that is no number.
std::optional<uint64_t> timeout_variable(const CliContext& context);

// What the options mean for a line of blocks. Error kInvalid for an unknown strategy or a run ID
// that is no UUID.
runner::LineOptions line_options(const Console& console, const PluginRunOptions& options,
                                 bool is_full_refresh);

// Installs what is missing of the plugins, unless a flag or the setting auto_install says not
// to. Whether that is all there is to do.
bool install_for_run(const runner::RunContext& context, const std::vector<project::Plugin>& plugins,
                     const InstallFlags& flags);

}  // namespace tidemark::cli
