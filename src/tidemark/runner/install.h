#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/project/plugin.h"
#include "tidemark/runner/prepared_plugin.h"

namespace tidemark::runner {

struct InstallOptions {
  // Makes each virtual environment anew.
  bool is_clean = false;
  // Installs packages that refuse this version of Python.
  bool ignores_python_version = false;
  // How many at a time.
  size_t parallelism = 1;
};

// What pip is told to install, with variables in their place, and the interpreter that was asked
// for.
struct Requirement {
  std::vector<std::string> words;
  std::optional<std::string> python = {};

  // Meltano's mark of what is in a virtual environment.
  std::string fingerprint() const;
  bool operator==(const Requirement&) const = default;
};

// Nothing for a plugin that pip does not install. Error kInvalid for a pip_url that refers to a
// variable that is not set.
std::optional<Requirement> requirement_of(const project::Project& project,
                                          const project::Plugin& plugin);

// Whether the plugin's virtual environment has what it should have.
bool is_installed(const project::Project& project, const project::Plugin& plugin);

// Installs plugins into the virtual environments where Meltano looks for them, with uv where the
// setting venv.backend says so and there is one, else with pip. One whose environment another one
// shares is left out. Processes that install into the same one do so one after the other, and what
// one has installed meanwhile is not installed again. How many failed; each is logged with what the
// tool said. Throws what the context's control throws when it is stopped.
size_t install(const RunContext& context, const std::vector<project::Plugin>& plugins,
               const InstallOptions& options);

// Installs those of the plugins whose virtual environments are not what they should be. Error
// kInvalid when one cannot be installed; else as install().
void install_missing(const RunContext& context, const std::vector<project::Plugin>& plugins);

}  // namespace tidemark::runner
