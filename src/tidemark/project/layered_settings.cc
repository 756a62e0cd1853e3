#include "tidemark/project/layered_settings.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tidemark/json/write.h"
#include "tidemark/project/python_literal.h"

namespace tidemark::project {
namespace {

using config::Node;
using Members = std::vector<Node::Member>;

constexpr char kNegation = '!';

void flatten_into(const Node& map, const std::string& prefix, Members& flat) {
  for (Node::Member& member : map.members()) {
    std::string name = prefix.empty() ? member.key : fmt::format("{}.{}", prefix, member.key);
    if (member.value.is_map() && !member.value.members().empty()) {
      flatten_into(member.value, name, flat);
      continue;
    }
    const auto same = std::ranges::find(flat, name, &Node::Member::key);
    if (same == flat.end()) {
      flat.push_back({std::move(name), std::move(member.value), std::move(member.position)});
    } else {
      same->value = std::move(member.value);
    }
  }
}

// One member for each value, its keys joined by dots; of two with one name the later counts.
Members flatten(const Node& map) {
  Members flat;
  if (!map.is_null()) flatten_into(map, "", flat);
  return flat;
}

std::vector<std::string> names_of(std::string_view name, const SettingDefinition* definition) {
  if (definition == nullptr) return {std::string(name)};
  std::vector<std::string> names{definition->name};
  names.insert(names.end(), definition->aliases.begin(), definition->aliases.end());
  return names;
}

// The value under the setting's name or an alias. Two that differ are an error.
std::optional<Node> find_in(const Members& flat, std::string_view name,
                            const SettingDefinition* definition) {
  std::optional<Node> found;
  for (const std::string& key : names_of(name, definition)) {
    const auto member = std::ranges::find(flat, key, &Node::Member::key);
    if (member == flat.end() || member->value.is_null()) continue;
    if (found && found->to_json() != member->value.to_json()) {
      throw member->value.error(fmt::format("setting '{}' has another value at {}; keep one", name,
                                            to_string(found->position())));
    }
    if (!found) found = member->value;
  }
  return found;
}

// {"a.b": 1} as {"a": {"b": 1}}.
json::Value nested(const json::Object& flat) {
  json::Value root{json::Object()};
  for (const auto& [key, value] : flat) {
    json::Value* place = &root;
    std::string_view rest = key;
    while (true) {
      const size_t dot = rest.find('.');
      if (!place->is_object()) *place = json::Object();
      place = &place->as_object()[rest.substr(0, dot)];
      if (dot == std::string_view::npos) break;
      rest.remove_prefix(dot + 1);
    }
    *place = value;
  }
  return root;
}

// As Meltano hands a value to a plugin.
std::string exported_text(const SettingDefinition& definition, const json::Value& value) {
  if (value.is_string()) return value.as_string();
  const bool is_python = definition.kind == SettingKind::kString;
  return is_python ? python_literal(value) : json::write_python(value);
}

}  // namespace

LayeredSettings::LayeredSettings(Layers layers)
    : layers_(std::move(layers)),
      overrides_(flatten(layers_.overrides)),
      active_environment_(flatten(layers_.active_environment)),
      project_file_(flatten(layers_.project_file)),
      variables_(overlay(layers_.dotenv.values, layers_.environment.values)),
      definitions_(layers_.definitions) {
  add_custom_definitions();
}

void LayeredSettings::add_custom(const Members& flat) {
  for (const Node::Member& member : flat) {
    if (find_definition(member.key) != nullptr) continue;
    definitions_.push_back(custom_definition(member.key, member.value));
  }
}

void LayeredSettings::add_custom_definitions() {
  add_custom(project_file_);
  heritable_.assign(definitions_.begin() + static_cast<std::ptrdiff_t>(layers_.definitions.size()),
                    definitions_.end());
  if (layers_.parent) {
    for (const SettingDefinition& inherited : layers_.parent->heritable_) {
      if (find_definition(inherited.name) != nullptr) continue;
      definitions_.push_back(inherited);
      heritable_.push_back(inherited);
    }
  }
  add_custom(active_environment_);
}

const SettingDefinition* LayeredSettings::find_definition(std::string_view name) const {
  const auto named = std::ranges::find_if(definitions_, [name](const SettingDefinition& setting) {
    return setting.name == name ||
           std::ranges::find(setting.aliases, name) != setting.aliases.end();
  });
  return named == definitions_.end() ? nullptr : &*named;
}

std::vector<std::vector<std::string>> LayeredSettings::variable_groups(
    const SettingDefinition& definition) const {
  std::vector<std::vector<std::string>> groups;
  for (const std::vector<std::string>& prefixes : layers_.prefixes) {
    std::vector<std::string>& names = groups.emplace_back();
    for (const std::string& setting : names_of(definition.name, &definition)) {
      for (const std::string& prefix : prefixes) {
        std::string name = variable_name(prefix, setting);
        if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
      }
    }
  }
  if (layers_.reads_env_aliases && !groups.empty()) {
    groups.back().insert(groups.back().end(), definition.env_aliases.begin(),
                         definition.env_aliases.end());
  }
  return groups;
}

std::vector<std::string> LayeredSettings::variables(const SettingDefinition& definition) const {
  std::vector<std::string> names;
  for (const std::vector<std::string>& group : variable_groups(definition)) {
    names.insert(names.end(), group.begin(), group.end());
  }
  return names;
}

std::string LayeredSettings::written_variable(const SettingDefinition& definition) const {
  return variable_groups(definition).back().front();
}

std::optional<LayeredSettings::Found> LayeredSettings::search_variables(
    const SettingDefinition& definition, const Variables& variables, SettingSource source) const {
  for (const std::vector<std::string>& group : variable_groups(definition)) {
    std::vector<std::string> set;
    for (const std::string& name : group) {
      const std::string_view variable = std::string_view(name).substr(name[0] == kNegation ? 1 : 0);
      if (variables.values.find(variable) != nullptr) set.push_back(name);
    }
    if (set.empty()) continue;
    if (set.size() > 1) {
      throw Error(ErrorCode::kInvalid,
                  fmt::format("setting '{}' is set by several variables: {}; keep one",
                              definition.name, fmt::join(set, ", ")));
    }
    const bool is_negated = set[0][0] == kNegation;
    std::string variable = set[0].substr(is_negated ? 1 : 0);
    Node value = variables.node(variable);
    if (is_negated) value = Node::scalar(!is_truthy(value.string()), value.position());
    return Found{.value = std::move(value), .source = source, .variable = std::move(variable)};
  }
  return std::nullopt;
}

std::optional<LayeredSettings::Found> LayeredSettings::search_files(
    std::string_view name, const SettingDefinition* definition) const {
  if (auto value = find_in(active_environment_, name, definition)) {
    return Found{std::move(*value), SettingSource::kActiveEnvironment, true};
  }
  if (auto value = find_in(project_file_, name, definition)) {
    return Found{std::move(*value), SettingSource::kProjectFile, true};
  }
  return std::nullopt;
}

std::optional<LayeredSettings::Found> LayeredSettings::search(
    std::string_view name, const SettingDefinition* definition) const {
  if (auto value = find_in(overrides_, name, definition)) {
    return Found{std::move(*value), SettingSource::kOverride};
  }
  if (definition != nullptr) {
    const SettingDefinition& known = *definition;
    auto found = search_variables(known, layers_.environment, SettingSource::kEnvironment);
    if (!found) found = search_variables(known, layers_.dotenv, SettingSource::kDotenv);
    if (found) return found;
  }
  if (auto found = search_files(name, definition)) return found;
  const bool is_inherited = layers_.parent != nullptr && definition != nullptr;
  return is_inherited ? search_parent(name) : std::nullopt;
}

std::optional<LayeredSettings::Found> LayeredSettings::search_parent(std::string_view name) const {
  const SettingDefinition* definition = layers_.parent->find_definition(name);
  auto inherited = layers_.parent->search(name, definition);
  if (inherited) {
    inherited->source = SettingSource::kInherited;
    return inherited;
  }
  if (definition == nullptr || definition->kind != SettingKind::kObject) return std::nullopt;
  // Made of parts, some of which the child may not have: those of the parent's environment.
  Setting whole = layers_.parent->find(name);
  if (whole.source == SettingSource::kDefault) return std::nullopt;
  return Found{std::move(whole.value), SettingSource::kInherited};
}

// A text of which nothing is left is null: what it stands for is not there.
Node LayeredSettings::expand(const Node& value, std::string_view name) const {
  // Only where it helps: another setting that cannot be read must not stand in the way.
  const bool has_variable = json::write(value.to_json()).find('$') != std::string::npos;
  if (!has_variable) return value;
  os::Environment variables = variables_;
  if (name.starts_with('_')) {
    os::Environment::Variables own;
    for (Exported& exported : exported(false)) own[exported.variable] = std::move(exported.value);
    variables = overlay(variables, os::Environment(std::move(own)));
  }
  const Node expanded =
      config::expand(value.with_path(std::string(name)), variables, layers_.missing);
  const bool is_gone = expanded.is_string() && expanded.string().empty() && !value.string().empty();
  return is_gone ? Node::scalar({}, value.position()) : expanded;
}

Setting LayeredSettings::find(std::string_view name) const {
  const SettingDefinition* definition = find_definition(name);
  std::optional<Found> found = search(name, definition);
  if (!found && definition != nullptr) {
    found = Found{.value = Node::from_json(definition->default_value), .is_expandable = true};
  }
  if (!found) return {};
  Setting setting{found->value, found->source, found->value, std::move(found->variable)};
  if (found->is_expandable) setting.value = expand(setting.value, name);
  if (definition != nullptr) {
    setting.value = cast_setting(*definition, setting.value);
    if (definition->kind == SettingKind::kObject) assemble(*definition, setting);
  }
  return setting;
}

// An object that no layer has as a whole is made of the settings below it, `obj.a` of `obj`.
void LayeredSettings::assemble(const SettingDefinition& definition, Setting& setting) const {
  if (setting.source < SettingSource::kInherited) return;
  json::Object object;
  for (const std::string& name : names_of(definition.name, &definition)) {
    for (const SettingDefinition& part : definitions_) {
      if (!part.name.starts_with(name + ".")) continue;
      Setting value = find(part.name);
      object.set(part.name.substr(name.size() + 1), value.value.to_json());
      if (value.source < setting.source) {
        setting.source = value.source;
        setting.written = value.written;
      }
    }
  }
  if (object.empty()) return;
  json::Value whole = definition.is_nested ? nested(object) : json::Value(std::move(object));
  setting.value = Node::from_json(whole, setting.written.position()).with_path(definition.name);
}

std::vector<LayeredSettings::Exported> LayeredSettings::exported(bool extras) const {
  std::vector<Exported> all;
  for (const SettingDefinition& definition : definitions_) {
    if (definition.is_extra() != extras) continue;
    const json::Value value = find(definition.name).value.to_json();
    if (value.is_null()) continue;
    const std::string text = exported_text(definition, value);
    std::vector<std::string> names;
    if (!definition.env.empty()) names.push_back(definition.env);
    for (const std::string& prefix : layers_.export_prefixes) {
      std::string name = variable_name(prefix, definition.name);
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
    for (std::string& name : names) all.push_back({std::move(name), text, definition.is_sensitive});
  }
  return all;
}

}  // namespace tidemark::project
