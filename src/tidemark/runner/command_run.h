#pragma once

#include "tidemark/project/blocks.h"
#include "tidemark/runner/prepared_plugin.h"
#include "tidemark/runner/run_directory.h"

namespace tidemark::runner {

// Runs a command of a plugin, or the plugin alone, to its end; what it prints is logged. Error
// kInvalid when it fails, kCancelled when the context's control stops it.
void run_command(const RunContext& context, const RunDirectory& directory,
                 const project::CommandBlock& block);

}  // namespace tidemark::runner
