#include "tidemark/project/plugin.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/ascii.h"
#include "tidemark/json/read.h"

namespace tidemark::project {
namespace {

using config::Node;
using Definitions = std::vector<SettingDefinition>;

// More parents than anybody has: whoever goes further goes round.
constexpr int kMostParents = 100;

constexpr std::array kTypes{
    PluginTypeWords{PluginType::kExtractors, "extractors", "extractor", "EXTRACT"},
    PluginTypeWords{PluginType::kLoaders, "loaders", "loader", "LOAD"},
    PluginTypeWords{PluginType::kTransforms, "transforms", "transform", "TRANSFORM"},
    PluginTypeWords{PluginType::kOrchestrators, "orchestrators", "orchestrator", "ORCHESTRAT"},
    PluginTypeWords{PluginType::kTransformers, "transformers", "transformer", "TRANSFORM"},
    PluginTypeWords{PluginType::kFiles, "files", "file", "FI"},
    PluginTypeWords{PluginType::kUtilities, "utilities", "utility", "UTILIZE"},
    PluginTypeWords{PluginType::kMappers, "mappers", "mapper", "MAP"},
};

// Keys of an entry or a lock file that are no extras.
constexpr std::array<std::string_view, 25> kDefinitionKeys{
    "plugin_type",
    "name",
    "inherit_from",
    "namespace",
    "variant",
    "pip_url",
    "python",
    "executable",
    "capabilities",
    "settings",
    "settings_group_validation",
    "commands",
    "requires",
    "requires_meltano",
    "config",
    "env",
    "label",
    "docs",
    "repo",
    "description",
    "logo_url",
    "hidden",
    "annotations",
    "keywords",
    "destination",
};

std::vector<Node> entries_of(const Node& document, PluginType type) {
  const std::optional<Node> plugins = document.optional_node("plugins");
  const auto list = plugins ? plugins->optional_node(words_of(type).plural) : std::nullopt;
  return list ? list->items() : std::vector<Node>();
}

std::optional<Node> find_named(const std::vector<Node>& entries, std::string_view name) {
  for (const Node& entry : entries) {
    if (entry.require("name").string() == name) return entry;
  }
  return std::nullopt;
}

std::optional<Node> find_mapping(const Node& mapper, std::string_view name) {
  const std::optional<Node> mappings = mapper.optional_node("mappings");
  return mappings ? find_named(mappings->items(), name) : std::nullopt;
}

std::optional<Node> read_lock_file(const os::Path& root, PluginType type, std::string_view name,
                                   std::string_view variant) {
  const os::Path file =
      os::Path("plugins") / words_of(type).plural / fmt::format("{}--{}.lock", name, variant);
  const std::optional<std::string> text = os::read_file_if_exists(root / file);
  if (!text) return std::nullopt;
  try {
    const config::Position place{std::make_shared<const std::string>(file.native())};
    Node locked = Node::from_json(json::read(*text), place);
    locked.members();  // asserts a map
    return locked;
  } catch (Error& error) {
    error.add_context(file.native());
    throw;
  }
}

// Definitions over others of the same name, new ones behind.
void put_over(Definitions& under, Definitions over) {
  for (SettingDefinition& definition : over) {
    const auto same = std::ranges::find(under, definition.name, &SettingDefinition::name);
    if (same == under.end()) {
      under.push_back(std::move(definition));
    } else {
      *same = std::move(definition);
    }
  }
}

Definitions own_definitions(const Node& map) {
  const std::optional<Node> settings = map.optional_node("settings");
  return settings ? read_setting_definitions(*settings) : Definitions();
}

SettingDefinition extra(std::string name, SettingKind kind, json::Value value,
                        std::vector<std::string> aliases = {}, bool is_nested = false) {
  return {.name = std::move(name),
          .kind = kind,
          .default_value = std::move(value),
          .aliases = std::move(aliases),
          .is_nested = is_nested};
}

Definitions extractor_extras() {
  return {
      extra("_log_parser", SettingKind::kString, "singer-sdk"),
      extra("_catalog", SettingKind::kString, {}),
      extra("_state", SettingKind::kString, {}),
      extra("_load_schema", SettingKind::kString, "$MELTANO_EXTRACTOR_NAMESPACE"),
      extra("_select", SettingKind::kArray, json::Array{"*.*"}),
      extra("_metadata", SettingKind::kObject, json::Object(), {"metadata"}, true),
      extra("_schema", SettingKind::kObject, json::Object(), {}, true),
      extra("_select_filter", SettingKind::kArray, json::Array()),
      extra("_use_cached_catalog", SettingKind::kBoolean, true),
  };
}

Definitions extras_of_type(PluginType type) {
  switch (type) {
    case PluginType::kExtractors:
      return extractor_extras();
    case PluginType::kLoaders:
      return {extra("_log_parser", SettingKind::kString, "singer-sdk"),
              extra("_dialect", SettingKind::kString, "$MELTANO_LOADER_NAMESPACE")};
    case PluginType::kTransforms:
      return {extra("_package_name", SettingKind::kString, "$MELTANO_TRANSFORM_NAMESPACE"),
              extra("_vars", SettingKind::kObject, json::Object())};
    case PluginType::kFiles:
      return {extra("_update", SettingKind::kObject, json::Object(), {"update"})};
    case PluginType::kMappers:
      return {extra("_log_parser", SettingKind::kString, "singer-sdk"),
              extra("_mappings", SettingKind::kArray, json::Object(), {"mappings"}),
              extra("_mapping_name", SettingKind::kString, {}, {"mapping_name"})};
    case PluginType::kOrchestrators:
    case PluginType::kTransformers:
    case PluginType::kUtilities:
      break;
  }
  return {};
}

}  // namespace

const PluginTypeWords& words_of(PluginType type) {
  return *std::ranges::find(kTypes, type, &PluginTypeWords::type);
}

std::optional<PluginType> find_plugin_type(std::string_view word) {
  for (const PluginTypeWords& words : kTypes) {
    if (words.plural == word || words.singular == word) return words.type;
  }
  return std::nullopt;
}

std::optional<Plugin> Plugin::find(const Node& document, const os::Path& root,
                                   std::string_view name, std::optional<PluginType> type) {
  return find_at_depth(document, root, name, type, 0);
}

std::optional<Plugin> Plugin::find_at_depth(const Node& document, const os::Path& root,
                                            std::string_view name, std::optional<PluginType> type,
                                            int depth) {
  for (const PluginTypeWords& words : kTypes) {
    if (type && *type != words.type) continue;
    for (const Node& entry : entries_of(document, words.type)) {
      Plugin plugin;
      plugin.type_ = words.type;
      plugin.name_ = entry.require("name").string();
      plugin.entry_ = entry;
      if (words.type == PluginType::kMappers) plugin.mapping_ = find_mapping(entry, name);
      if (plugin.name_ != name && !plugin.mapping_) continue;
      plugin.read_parent(document, root, depth);
      return plugin;
    }
  }
  return std::nullopt;
}

std::vector<std::string> Plugin::names(const Node& document, std::optional<PluginType> type) {
  std::vector<std::string> names;
  for (const PluginTypeWords& words : kTypes) {
    if (type && *type != words.type) continue;
    for (const Node& entry : entries_of(document, words.type)) {
      names.push_back(entry.require("name").string());
      if (words.type != PluginType::kMappers) continue;
      if (const std::optional<Node> mappings = entry.optional_node("mappings")) {
        for (const Node& mapping : mappings->items()) {
          names.push_back(mapping.require("name").string());
        }
      }
    }
  }
  return names;
}

void Plugin::read_parent(const Node& document, const os::Path& root, int depth) {
  const std::optional<Node> inherit_from = entry_.optional_node("inherit_from");
  const std::optional<std::string> own_variant = entry_.optional_string("variant");
  if (inherit_from && !own_variant) {
    if (depth == kMostParents) throw inherit_from->error("inherits from itself");
    auto parent = find_at_depth(document, root, inherit_from->string(), type_, depth + 1);
    if (parent && !parent->mapping_) {
      parent_ = std::make_shared<const Plugin>(std::move(*parent));
      return;
    }
  }
  const bool is_custom = !inherit_from && entry_.optional_node("namespace");
  if (is_custom) return;
  locked_ = read_lock_file(root, type_, inherit_from ? inherit_from->string() : name_,
                           own_variant.value_or("default"));
}

std::string Plugin::label() const {
  std::string word(words_of(type_).singular);
  word[0] = ascii_upper(word[0]);
  return fmt::format("{} '{}'", word, name_);
}

std::optional<Node> Plugin::attribute(std::string_view key) const {
  if (std::optional<Node> own = entry_.optional_node(key)) return own;
  if (parent_) return parent_->attribute(key);
  return locked_ ? locked_->optional_node(key) : std::nullopt;
}

std::vector<Node> Plugin::layers(std::string_view key) const {
  std::vector<Node> layers = parent_ ? parent_->layers(key) : std::vector<Node>();
  if (auto locked = locked_ ? locked_->optional_node(key) : std::nullopt) {
    layers.push_back(*std::move(locked));
  }
  if (std::optional<Node> own = entry_.optional_node(key)) layers.push_back(*std::move(own));
  return layers;
}

std::string Plugin::plugin_namespace() const {
  if (const auto own = entry_.optional_string("namespace")) return *own;
  if (locked_ && !inherits()) {
    if (const auto locked = locked_->optional_string("namespace")) return *locked;
  }
  std::string name = name_;
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string Plugin::variant() const {
  const std::optional<Node> variant = attribute("variant");
  return variant ? variant->string() : "default";
}

Definitions Plugin::setting_definitions() const {
  Definitions extras = extras_of_type(type_);
  Definitions definitions;
  if (parent_) {
    for (SettingDefinition& inherited : parent_->setting_definitions()) {
      if (!inherited.is_extra()) definitions.push_back(std::move(inherited));
    }
  }
  if (locked_) {
    put_over(definitions, own_definitions(*locked_));
    for (const Node::Member& member : extras_of(*locked_)) {
      const std::string name = "_" + member.key;
      auto known = std::ranges::find(extras, name, &SettingDefinition::name);
      if (known == extras.end()) {
        known = extras.insert(known, custom_definition(name, member.value));
      }
      known->default_value = member.value.to_json();
    }
  }
  put_over(definitions, own_definitions(entry_));
  put_over(definitions, std::move(extras));
  return definitions;
}

std::vector<std::vector<std::string>> Plugin::setting_groups() const {
  std::vector<std::vector<std::string>> groups;
  if (const std::optional<Node> list = attribute("settings_group_validation")) {
    for (const Node& group : list->items()) groups.push_back(group.strings());
  }
  return groups;
}

std::vector<Node::Member> extras_of(const Node& plugin) {
  std::vector<Node::Member> members = plugin.members();
  std::erase_if(members, [](const Node::Member& member) {
    return std::ranges::find(kDefinitionKeys, member.key) != kDefinitionKeys.end();
  });
  return members;
}

}  // namespace tidemark::project
