#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/config/node.h"
#include "tidemark/json/value.h"
#include "tidemark/project/blocks.h"
#include "tidemark/runner/chain.h"
#include "tidemark/runner/prepared_plugin.h"
#include "tidemark/runner/run_directory.h"

namespace tidemark::runner {

struct SetOptions {
  bool is_full_refresh = false;
  bool refreshes_catalog = false;  // also done by a full refresh
  // Counts what passes between the plugins and logs it; also done by a log of level debug.
  bool is_observed = false;
  // A map of settings of the tap that flags gave: `_select_filter`, `_catalog`, `_state`.
  config::Node tap_overrides = config::Node::map({});
  GracePeriods grace = {};
};

// Why plugins of a set failed.
struct SetFailure {
  // Meltano's word for it: `Extractor failed`, `Loader failed`, ...
  std::string reason;
  // Who, how, and the last that was heard.
  std::string detail;
};

// What a set tells while it runs.
struct SetEvents {
  // Once, when the plugins run.
  std::function<void(const Chain& chain)> started;
  // A line of the target's standard output.
  std::function<void(std::string_view line)> output_line;
};

// Runs the plugins of a set to their end. start is the state that the tap starts from. Nothing when
// all ended well, or were stopped by the context's control. Error for a set that cannot be started,
// or a line of output that is longer than a message may be.
std::optional<SetFailure> run_plugins(const RunContext& context, const RunDirectory& directory,
                                      const project::BlockSet& set,
                                      const std::optional<json::Value>& start,
                                      const SetOptions& options, const SetEvents& events);

// What the ends of a chain mean; nothing when none has failed.
std::optional<SetFailure> failure_of(const std::vector<PluginEnd>& ends);

}  // namespace tidemark::runner
