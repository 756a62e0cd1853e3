#include "tidemark/project/plugin_settings.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemark/base/ascii.h"
#include "tidemark/config/expand.h"
#include "tidemark/project/project_settings.h"

namespace tidemark::project {
namespace {

using config::Node;

// `config` of an entry, its extras beside it with `_` in front.
Node settings_in(const Node& entry) {
  std::vector<Node::Member> members;
  if (const std::optional<Node> own = entry.optional_node("config")) members = own->members();
  for (Node::Member& extra : extras_of(entry)) {
    extra.key.insert(0, "_");
    members.push_back(std::move(extra));
  }
  return Node::map(std::move(members), entry.position());
}

Node project_file_settings(const Plugin& plugin) {
  const Node own = settings_in(plugin.entry());
  const std::optional<Node> mapping = plugin.mapping();
  const auto config = mapping ? mapping->optional_node("config") : std::nullopt;
  if (!config) return own;
  std::vector<Node::Member> members = config->members();
  for (Node::Member& member : own.members()) {
    if (!config->find(member.key)) members.push_back(std::move(member));
  }
  return Node::map(std::move(members), mapping->position());
}

Variables env_of(const std::optional<Node>& map) {
  const auto env = map ? map->optional_node("env") : std::nullopt;
  return env ? variables_of(*env) : Variables();
}

// MELTANO_EXTRACTOR_NAME and the like.
Variables about(const Plugin& plugin) {
  const std::string prefix = "MELTANO_" + ascii_upper(words_of(plugin.type()).singular);
  return {os::Environment{{prefix + "_NAME", plugin.name()},
                          {prefix + "_NAMESPACE", plugin.plugin_namespace()},
                          {prefix + "_VARIANT", plugin.variant()}}};
}

Variables meltano_variables(const Project& project) {
  os::Environment::Variables variables;
  for (LayeredSettings::Exported& exported : project.settings().exported(false)) {
    variables[exported.variable] = std::move(exported.value);
  }
  return {os::Environment(std::move(variables))};
}

// What the active environment has of the plugin.
std::optional<Node> environment_entry(const Project& project, const Plugin& plugin) {
  std::optional<Node> node = project.active_environment();
  for (std::string_view key :
       {std::string_view("config"), std::string_view("plugins"), words_of(plugin.type()).plural}) {
    if (node) node = node->optional_node(key);
  }
  if (!node) return std::nullopt;
  for (const Node& entry : node->items()) {
    if (entry.require("name").string() == plugin.name()) return entry;
  }
  return std::nullopt;
}

// `env:` of the active environment, its variables replaced by those of the layers below it.
Variables environment_variables(const Project& project, const Variables& below) {
  const std::optional<Node> entry = project.active_environment();
  const auto env = entry ? entry->optional_node("env") : std::nullopt;
  if (!env) return {};
  return variables_of(config::expand(*env, below.values, config::MissingVariable::kEmpty));
}

// The lowest layer first: all that the parent has, then the process.
Variables environment_of(const Project& project, const Plugin& plugin,
                         const os::Environment& handed_on) {
  Variables variables =
      plugin.parent() ? environment_of(project, *plugin.parent(), {}) : Variables();
  variables = overlay(variables, project.process_variables());
  variables = overlay(variables, project.own_variables());
  variables = overlay(variables, meltano_variables(project));
  variables = overlay(variables, {handed_on});
  variables = overlay(variables, about(plugin));
  variables = overlay(variables, env_of(plugin.entry()));
  variables = overlay(variables, environment_variables(project, variables));
  return overlay(variables, env_of(environment_entry(project, plugin)));
}

std::vector<std::string> prefixes_of(const Plugin& plugin) {
  return {plugin.name(), plugin.plugin_namespace()};
}

std::vector<std::string> export_prefixes_of(const Plugin& plugin) {
  std::vector<std::string> prefixes;
  for (const Plugin* one = &plugin; one != nullptr; one = one->parent().get()) {
    for (std::string& prefix : prefixes_of(*one)) prefixes.push_back(std::move(prefix));
  }
  prefixes.push_back("MELTANO_" + std::string(words_of(plugin.type()).verb));
  return prefixes;
}

}  // namespace

LayeredSettings plugin_settings(const Project& project, const Plugin& plugin, const Node& overrides,
                                const os::Environment& handed_on) {
  LayeredSettings::Layers layers{
      .definitions = plugin.setting_definitions(),
      .prefixes = {prefixes_of(plugin)},
      .reads_env_aliases = !plugin.inherits(),
      .export_prefixes = export_prefixes_of(plugin),
      .overrides = overrides,
      .environment = environment_of(project, plugin, handed_on),
      .dotenv = project.dotenv(),
      .project_file = project_file_settings(plugin),
      .missing = missing_variable(project.settings()),
  };
  if (const auto entry = environment_entry(project, plugin)) {
    layers.active_environment = settings_in(*entry);
  }
  if (plugin.parent()) {
    layers.parent =
        std::make_shared<const LayeredSettings>(plugin_settings(project, *plugin.parent()));
  }
  return LayeredSettings(std::move(layers));
}

}  // namespace tidemark::project
