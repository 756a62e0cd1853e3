#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tidemark/os/child.h"
#include "tidemark/project/plugin.h"
#include "tidemark/runner/prepared_plugin.h"
#include "tidemark/runner/run_directory.h"

namespace tidemark::runner {

// What of a plugin is called.
struct Invocation {
  project::Plugin plugin;
  std::optional<std::string> command = {};  // of its `commands:`
  std::vector<std::string> words = {};      // behind what it gets anyway
  bool refreshes_catalog = false;
};

// The files of a plugin that stands alone: its configuration, and the catalog of a tap that is
// called without words.
struct InvokedPlugin {
  PreparedPlugin prepared;
  std::optional<os::Path> catalog = {};
};
InvokedPlugin prepare_invocation(const RunContext& context, const RunDirectory& directory,
                                 const Invocation& invocation);

// Runs it with our input, output and terminal; what it says on standard error is logged.
os::ChildEnd invoke(const RunContext& context, const RunDirectory& directory,
                    const Invocation& invocation);

}  // namespace tidemark::runner
