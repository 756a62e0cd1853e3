#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tidemark/config/yaml_edit.h"
#include "tidemark/json/value.h"
#include "tidemark/project/plugin.h"

namespace tidemark::project {

// Whose settings, and where in a project file: all paths are those of a document as it is read.
struct SettingOwner {
  const Plugin* plugin = nullptr;  // nullptr for Meltano's own
  std::string environment = {};    // empty for those outside of environments
};

// Of the map that holds the owner's settings: the root, the plugin's entry, or the mapping's.
// Nothing when the document has none.
std::optional<config::YamlPath> find_owner(const json::Value& document, const SettingOwner& owner);

// Of the list that an entry of the plugin belongs to in that environment. Nothing when the document
// does not have the environment.
std::optional<config::YamlPath> entries_in_environment(const json::Value& document,
                                                       const SettingOwner& owner);

// Of a setting below the owner's map: as it is spelt there, with maps in maps or dots in keys.
// Nothing when it is not there.
std::optional<config::YamlPath> find_setting(const json::Value& document,
                                             const config::YamlPath& owner, bool is_plugin,
                                             std::string_view name);

// Where a setting goes that is not there yet: below the longest part of its name that is a map.
config::YamlPath new_setting(const json::Value& document, const config::YamlPath& owner,
                             bool is_plugin, std::string_view name);

// The setting, or the map around it that would be left empty, below the owner's map.
config::YamlPath with_emptied_parents(const json::Value& document, const config::YamlPath& owner,
                                      config::YamlPath setting);

}  // namespace tidemark::project
