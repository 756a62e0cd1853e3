#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tidemark/os/environment.h"
#include "tidemark/os/files.h"
#include "tidemark/project/plugin.h"
#include "tidemark/project/project.h"

namespace tidemark::project {

// Where Meltano keeps what belongs to a plugin, its virtual environment above all:
// `<system directory>/extractors/tap-x`. A plugin that inherits shares its parent's unless it has a
// pip_url of its own.
os::Path plugin_directory(const Project& project, const Plugin& plugin);

// What pip is to install; nothing for a plugin that is not installed by pip.
std::optional<std::string> pip_url(const Plugin& plugin);

// The plugin's virtual environment, whether it is there or not; nothing without a pip_url.
std::optional<os::Path> virtual_environment(const Project& project, const Plugin& plugin);

// The environment with the programs of a virtual environment in front of all others.
os::Environment in_virtual_environment(const os::Environment& environment, const os::Path& venv);

// The name of the plugin's program: what the definition says, else the definition's name.
std::string executable_name(const Plugin& plugin);

// A program of the plugin: in its virtual environment, else a path from the project's root, else on
// the PATH of the environment. Error kNotFound names the command that installs the plugin.
os::Path find_executable(const Project& project, const Plugin& plugin, const std::string& name,
                         const os::Environment& environment);

// Whether the plugin's definition names the capability: `discover`, `state`.
bool has_capability(const Plugin& plugin, std::string_view capability);

}  // namespace tidemark::project
