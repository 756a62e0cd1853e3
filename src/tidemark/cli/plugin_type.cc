#include "tidemark/cli/plugin_type.h"

#include <fmt/format.h>

#include "tidemark/base/error.h"

namespace tidemark::cli {

std::optional<project::PluginType> read_plugin_type(const std::string& word) {
  if (word.empty()) return std::nullopt;
  const auto type = project::find_plugin_type(word);
  if (!type) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("'{}' is no type of plugins; those are extractors, loaders, "
                            "transforms, orchestrators, transformers, files, utilities, mappers",
                            word));
  }
  return type;
}

project::PluginType plugin_type_of(const std::string& name, const std::string& word) {
  if (const auto type = read_plugin_type(word)) return *type;
  if (name.starts_with("tap-")) return project::PluginType::kExtractors;
  return name.starts_with("target-") ? project::PluginType::kLoaders
                                     : project::PluginType::kUtilities;
}

}  // namespace tidemark::cli
