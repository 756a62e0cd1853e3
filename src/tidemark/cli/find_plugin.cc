#include "tidemark/cli/find_plugin.h"

#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/config/nearest.h"

namespace tidemark::cli {

project::Plugin find_plugin(const project::Project& project, const std::string& name,
                            std::optional<project::PluginType> type) {
  auto plugin = project::Plugin::find(project.document(), project.root(), name, type);
  if (plugin) return *std::move(plugin);
  const std::vector<std::string> names = project::Plugin::names(project.document(), type);
  const std::vector<std::string_view> known(names.begin(), names.end());
  throw Error(ErrorCode::kNotFound,
              fmt::format("the project has no {} '{}'{}",
                          type ? project::words_of(*type).singular : std::string_view("plugin"),
                          name, config::suggestion(name, known)));
}

void check_plugin_name(const std::string& name) {
  if (name.find(':') != std::string::npos) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("The plugin name '{}' cannot contain the state ID component delimiter "
                            "string ':'",
                            name));
  }
  const bool is_path =
      name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos;
  if (is_path) {
    throw Error(ErrorCode::kInvalid, fmt::format("'{}' cannot be the name of a plugin", name));
  }
}

}  // namespace tidemark::cli
