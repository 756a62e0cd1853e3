#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tidemark/os/child.h"
#include "tidemark/runner/prepared_plugin.h"

namespace tidemark::runner {

// What of a plugin is called.
struct Invocation {
  std::optional<std::string> command = {};  // of its `commands:`
  std::vector<std::string> words = {};      // behind what it gets anyway
  bool refreshes_catalog = false;
};

// Runs it with our input, output and terminal; what it says on standard error is logged. A tap that
// is called without a command and without words gets its catalog.
os::ChildEnd invoke(const RunContext& context, const PreparedPlugin& prepared,
                    const Invocation& invocation);

}  // namespace tidemark::runner
