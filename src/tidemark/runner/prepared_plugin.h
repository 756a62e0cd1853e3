#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/clock.h"
#include "tidemark/base/random.h"
#include "tidemark/base/sleeper.h"
#include "tidemark/config/node.h"
#include "tidemark/os/environment.h"
#include "tidemark/os/files.h"
#include "tidemark/project/layered_settings.h"
#include "tidemark/project/plugin.h"
#include "tidemark/project/project.h"
#include "tidemark/runner/chain.h"
#include "tidemark/runner/log.h"
#include "tidemark/runner/run_control.h"

namespace tidemark::runner {

// What running plugins needs. Borrowed.
struct RunContext {
  const project::Project& project;
  Log& log;
  RunControl& control;
  Clock& clock;
  Random& random;
  Sleeper& sleeper;
};

// A plugin whose files are written and whose program was found.
struct PreparedPlugin {
  project::Plugin plugin;
  project::LayeredSettings settings;
  os::Environment environment;
  os::Path program;
  os::Path folder;
  os::Path config_file;

  // Its start, with `--config` and what else is to be behind it.
  Launch launch(const std::vector<std::string>& arguments = {}) const;
};

// Writes the plugin's configuration, and that of its logging, into `folder`. overrides are settings
// that flags gave, handed_on is what plugins in front of it hand on. Error kInvalid for settings,
// kNotFound for a program that is not there, kUnsupported for a loader with `destination`.
PreparedPlugin prepare_plugin(const RunContext& context, const project::Plugin& plugin,
                              const os::Path& folder, const config::Node& overrides,
                              const os::Environment& handed_on);

// Logs a line of a plugin's standard error; one that a plugin with `structured-logging` wrote as
// JSON has a level and fields of its own.
void log_plugin_line(Log& log, const PreparedPlugin& plugin, std::string_view line);

}  // namespace tidemark::runner
