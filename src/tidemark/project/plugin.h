#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/config/node.h"
#include "tidemark/os/files.h"
#include "tidemark/project/setting_definition.h"

namespace tidemark::project {

// In the order in which plugins are looked for by name.
enum class PluginType {
  kExtractors,
  kLoaders,
  kTransforms,
  kOrchestrators,
  kTransformers,
  kFiles,
  kUtilities,
  kMappers,
};

// Meltano's words for a type.
struct PluginTypeWords {
  PluginType type;
  std::string_view plural;    // `extractors`, the key in a project file
  std::string_view singular;  // `extractor`
  std::string_view verb;      // `EXTRACT`, in the names of variables
};

const PluginTypeWords& words_of(PluginType type);
// By its plural or singular.
std::optional<PluginType> find_plugin_type(std::string_view word);

// A plugin as the project has it: its entry in a project file, and where that entry does not say
// something, what it inherits from, or its definition in a lock file.
class Plugin {
 public:
  // The first of that name, of that type when there is one; also a mapper by the name of one of its
  // mappings. Nothing when there is none. Error kInvalid with file and line: an entry that is no
  // map, a plugin that inherits from itself, a lock file that cannot be read.
  static std::optional<Plugin> find(const config::Node& document, const os::Path& root,
                                    std::string_view name, std::optional<PluginType> type = {});

  // All names that find() knows, of that type when there is one.
  static std::vector<std::string> names(const config::Node& document,
                                        std::optional<PluginType> type = {});

  PluginType type() const { return type_; }
  const std::string& name() const { return name_; }
  // `Extractor 'tap-x'`, for messages.
  std::string label() const;
  // The entry in a project file.
  const config::Node& entry() const { return entry_; }
  // The mapping of a mapper that was asked for by its name.
  const std::optional<config::Node>& mapping() const { return mapping_; }
  // What this one inherits from, when that is a plugin of the project.
  const std::shared_ptr<const Plugin>& parent() const { return parent_; }
  bool inherits() const { return entry_.find("inherit_from").has_value(); }

  // A key of a plugin's definition, such as `executable`: of the entry, else of the parent, else of
  // the lock file. Null counts as nothing.
  std::optional<config::Node> attribute(std::string_view key) const;
  // All there is under a key that is merged, such as `commands`: of the lock file, of the parent,
  // of the entry, the last one counting most.
  std::vector<config::Node> layers(std::string_view key) const;
  std::string plugin_namespace() const;
  // `default` when nothing names one.
  std::string variant() const;

  // All settings there are, those of the parent and of the lock file with what the entry says of
  // them in place, then the extras: `_select`, `_load_schema` and so on.
  std::vector<SettingDefinition> setting_definitions() const;
  // Groups of settings of which one must be set whole.
  std::vector<std::vector<std::string>> setting_groups() const;

 private:
  Plugin() = default;

  void read_parent(const config::Node& document, const os::Path& root, int depth);
  static std::optional<Plugin> find_at_depth(const config::Node& document, const os::Path& root,
                                             std::string_view name, std::optional<PluginType> type,
                                             int depth);

  PluginType type_ = PluginType::kExtractors;
  std::string name_;
  config::Node entry_;
  std::optional<config::Node> mapping_;
  std::shared_ptr<const Plugin> parent_;
  std::optional<config::Node> locked_;
};

// The extras that a map has, such as an entry of a plugin: whatever is no part of a definition.
std::vector<config::Node::Member> extras_of(const config::Node& plugin);

}  // namespace tidemark::project
