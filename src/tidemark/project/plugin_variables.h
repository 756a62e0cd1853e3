#pragma once

#include <optional>
#include <string_view>

#include "tidemark/config/node.h"
#include "tidemark/os/environment.h"
#include "tidemark/project/layered_settings.h"
#include "tidemark/project/plugin.h"
#include "tidemark/project/project.h"
#include "tidemark/project/variables.h"

namespace tidemark::project {

// What the active environment has of the plugin: its entry below `config.plugins`.
std::optional<config::Node> environment_entry(const Project& project, const Plugin& plugin);

// The variables that a plugin's settings are read from and that `$NAME` in them stands for, the
// lowest layer first: all that its parent has, the process, `env:` of the project, Meltano's
// settings, handed_on, what the plugin is called, its `env:`, those of the active environment and
// of the plugin's entry there.
Variables plugin_variables(const Project& project, const Plugin& plugin,
                           const os::Environment& handed_on);

// What a plugin hands on to those behind it in a run: what it is called (MELTANO_EXTRACTOR_NAME)
// and its settings, which are `settings`.
os::Environment handed_on_by(const Plugin& plugin, const LayeredSettings& settings);

// The environment of a plugin's process as Meltano gives it, but for two things. What opens the
// system database and the state backend, and Meltano's own secrets, are left out, whoever set them
// (the plugin's own `env:` may). VIRTUAL_ENV and PYTHONPATH are left out, since they would lead a
// plugin into another one's packages.
os::Environment plugin_environment(const Project& project, const Plugin& plugin,
                                   const LayeredSettings& settings,
                                   const os::Environment& handed_on);

// The environment less the variables that plugins do not get.
os::Environment without_withheld(const os::Environment& environment);

}  // namespace tidemark::project
