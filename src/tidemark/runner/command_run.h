#pragma once

#include <string>

#include "tidemark/project/blocks.h"
#include "tidemark/runner/prepared_plugin.h"
#include "tidemark/runner/run_directory.h"

namespace tidemark::runner {

// The start of a command of a plugin. Error kNotFound for one that it does not have.
Launch command_launch(const RunContext& context, const PreparedPlugin& prepared,
                      const std::string& name);

// Runs a command of a plugin, or the plugin alone, to its end; what it prints is logged. Error
// kInvalid when it fails, kCancelled when the context's control stops it.
void run_command(const RunContext& context, const RunDirectory& directory,
                 const project::CommandBlock& block);

}  // namespace tidemark::runner
