#include "tidemark/project/plugin_installation.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/os/child.h"

namespace tidemark::project {
namespace {

using config::Node;

std::string directory_name(const Plugin& plugin) {
  const std::optional<Node> inherit_from = plugin.entry().optional_node("inherit_from");
  if (!inherit_from) return plugin.name();
  const std::optional<std::string> own = plugin.entry().optional_string("pip_url");
  const bool is_own = own && (!plugin.parent() || pip_url(*plugin.parent()) != own);
  if (is_own) return plugin.name();
  return plugin.parent() ? directory_name(*plugin.parent()) : inherit_from->string();
}

// The name in the definition that all its heirs share.
std::string definition_name(const Plugin& plugin) {
  if (plugin.parent()) return definition_name(*plugin.parent());
  return plugin.entry().optional_string("inherit_from").value_or(plugin.name());
}

}  // namespace

os::Path plugin_directory(const Project& project, const Plugin& plugin) {
  return project.system_directory() / words_of(plugin.type()).plural / directory_name(plugin);
}

std::optional<std::string> pip_url(const Plugin& plugin) {
  const std::optional<Node> url = plugin.attribute("pip_url");
  if (!url || url->string().empty()) return std::nullopt;
  return url->string();
}

std::optional<os::Path> virtual_environment(const Project& project, const Plugin& plugin) {
  if (!pip_url(plugin)) return std::nullopt;
  return plugin_directory(project, plugin) / "venv";
}

os::Environment in_virtual_environment(const os::Environment& environment, const os::Path& venv) {
  os::Environment::Variables variables = environment.variables();
  variables["VIRTUAL_ENV"] = venv.native();
  std::string& path = variables["PATH"];
  path = (venv / "bin").native() + (path.empty() ? "" : ":") + path;
  return os::Environment(std::move(variables));
}

std::string executable_name(const Plugin& plugin) {
  const std::optional<Node> executable = plugin.attribute("executable");
  return executable ? executable->string() : definition_name(plugin);
}

os::Path find_executable(const Project& project, const Plugin& plugin, const std::string& name,
                         const os::Environment& environment) {
  const std::optional<os::Path> venv = virtual_environment(project, plugin);
  const std::string program = venv ? (*venv / "bin" / name).native() : name;
  if (const auto found = os::find_program(program, environment, project.root())) return *found;
  const std::string_view type = words_of(plugin.type()).singular;
  throw Error(
      ErrorCode::kNotFound,
      fmt::format("Executable '{}' could not be found. {} may not have been installed yet using "
                  "`tidemark install --plugin-type {} {}`, or the executable name may be incorrect",
                  name, plugin.label(), type, plugin.name()));
}

bool has_capability(const Plugin& plugin, std::string_view capability) {
  const std::optional<Node> capabilities = plugin.attribute("capabilities");
  return capabilities && std::ranges::any_of(capabilities->items(), [&](const Node& one) {
           return one.string() == capability;
         });
}

}  // namespace tidemark::project
