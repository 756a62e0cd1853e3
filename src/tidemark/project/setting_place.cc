#include "tidemark/project/setting_place.h"

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <utility>
#include <variant>
#include <vector>

namespace tidemark::project {
namespace {

using config::YamlPath;
using config::YamlStep;

const json::Value* value_at(const json::Value& document, const YamlPath& path) {
  const json::Value* value = &document;
  for (const YamlStep& step : path) {
    if (value == nullptr) return nullptr;
    if (const auto* key = std::get_if<std::string>(&step)) {
      value = value->find(*key);
    } else {
      const size_t index = std::get<size_t>(step);
      const bool is_there = value->is_array() && index < value->as_array().size();
      value = is_there ? &value->as_array()[index] : nullptr;
    }
  }
  return value;
}

YamlPath joined(YamlPath path, std::initializer_list<YamlStep> steps) {
  path.insert(path.end(), steps);
  return path;
}

YamlPath joined(YamlPath path, const YamlPath& steps) {
  path.insert(path.end(), steps.begin(), steps.end());
  return path;
}

// The path of the list's first element of that name.
std::optional<YamlPath> find_named(const json::Value& document, const YamlPath& list,
                                   std::string_view name) {
  const json::Value* value = value_at(document, list);
  if (value == nullptr || !value->is_array()) return std::nullopt;
  const json::Array& items = value->as_array();
  for (size_t i = 0; i < items.size(); ++i) {
    const json::Value* item_name = items[i].find("name");
    if (item_name != nullptr && *item_name == json::Value(name)) return joined(list, {i});
  }
  return std::nullopt;
}

std::string plural_of(const Plugin& plugin) { return std::string(words_of(plugin.type()).plural); }

// The places of the dots at which a name may be cut; `\.` belongs to a key.
std::vector<size_t> cuts_of(std::string_view name) {
  std::vector<size_t> cuts;
  for (size_t i = 1; i < name.size(); ++i) {
    if (name[i] == '.' && name[i - 1] != '\\') cuts.push_back(i);
  }
  return cuts;
}

YamlPath keys_of(std::string_view name) {
  YamlPath keys;
  size_t begin = 0;
  for (size_t cut : cuts_of(name)) {
    keys.emplace_back(std::string(name.substr(begin, cut - begin)));
    begin = cut + 1;
  }
  keys.emplace_back(std::string(name.substr(begin)));
  return keys;
}

std::optional<YamlPath> find_spelling(const json::Value& map, std::string_view name) {
  if (map.find(name) != nullptr) return YamlPath{std::string(name)};
  for (size_t cut : cuts_of(name)) {
    const std::string key(name.substr(0, cut));
    const json::Value* inner = map.find(key);
    if (inner == nullptr) continue;
    const std::optional<YamlPath> rest = find_spelling(*inner, name.substr(cut + 1));
    if (rest) return joined({key}, *rest);
  }
  return std::nullopt;
}

// The longest front part of the name that is spelt as a map, with what is left of the name.
YamlPath find_nearest(const json::Value& map, std::string_view name) {
  const std::vector<size_t> cuts = cuts_of(name);
  for (const size_t cut : std::views::reverse(cuts)) {
    const std::optional<YamlPath> front = find_spelling(map, name.substr(0, cut));
    const json::Value* inner = front ? value_at(map, *front) : nullptr;
    if (inner != nullptr && inner->is_object()) {
      return joined(*front, find_nearest(*inner, name.substr(cut + 1)));
    }
  }
  return keys_of(name);
}

// The map that a plugin's setting of that name stands in, and its name there: extras stand beside
// `config`.
struct Container {
  YamlPath path;
  std::string_view name;
};

Container container_of(const YamlPath& owner, bool is_plugin, std::string_view name) {
  if (!is_plugin) return {owner, name};
  if (name.starts_with('_')) return {owner, name.substr(1)};
  return {joined(owner, {"config"}), name};
}

}  // namespace

std::optional<YamlPath> find_owner(const json::Value& document, const SettingOwner& owner) {
  if (owner.plugin == nullptr) return YamlPath();
  if (!owner.environment.empty()) {
    const std::optional<YamlPath> entries = entries_in_environment(document, owner);
    return entries ? find_named(document, *entries, owner.plugin->name()) : std::nullopt;
  }
  std::optional<YamlPath> entry =
      find_named(document, {"plugins", plural_of(*owner.plugin)}, owner.plugin->name());
  const auto& mapping = owner.plugin->mapping();
  if (!entry || !mapping) return entry;
  return find_named(document, joined(*entry, {"mappings"}), mapping->require("name").string());
}

std::optional<YamlPath> entries_in_environment(const json::Value& document,
                                               const SettingOwner& owner) {
  const auto environment = find_named(document, {"environments"}, owner.environment);
  if (!environment) return std::nullopt;
  return joined(*environment, {"config", "plugins", plural_of(*owner.plugin)});
}

std::optional<YamlPath> find_setting(const json::Value& document, const YamlPath& owner,
                                     bool is_plugin, std::string_view name) {
  const Container container = container_of(owner, is_plugin, name);
  const json::Value* map = value_at(document, container.path);
  if (map == nullptr) return std::nullopt;
  const std::optional<YamlPath> spelling = find_spelling(*map, container.name);
  return spelling ? std::optional(joined(container.path, *spelling)) : std::nullopt;
}

YamlPath new_setting(const json::Value& document, const YamlPath& owner, bool is_plugin,
                     std::string_view name) {
  const Container container = container_of(owner, is_plugin, name);
  const json::Value* map = value_at(document, container.path);
  return joined(container.path, map != nullptr && map->is_object()
                                    ? find_nearest(*map, container.name)
                                    : keys_of(container.name));
}

YamlPath with_emptied_parents(const json::Value& document, const YamlPath& owner,
                              YamlPath setting) {
  while (setting.size() > owner.size() + 1) {
    YamlPath parent = setting;
    parent.pop_back();
    if (value_at(document, parent)->as_object().size() > 1) break;
    setting = std::move(parent);
  }
  return setting;
}

}  // namespace tidemark::project
