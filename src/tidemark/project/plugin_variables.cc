#include "tidemark/project/plugin_variables.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tidemark/base/ascii.h"
#include "tidemark/config/expand.h"
#include "tidemark/project/meltano_settings.h"

namespace tidemark::project {
namespace {

using config::Node;

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

// `env:` of the active environment, its variables replaced by those of the layers below it.
Variables environment_variables(const Project& project, const Variables& below) {
  const std::optional<Node> entry = project.active_environment();
  const auto env = entry ? entry->optional_node("env") : std::nullopt;
  if (!env) return {};
  return variables_of(config::expand(*env, below.values, config::MissingVariable::kEmpty));
}

bool is_withheld(std::string_view variable) {
  for (const std::string_view prefix : {"TIDEMARK_", "MELTANO_"}) {
    if (!variable.starts_with(prefix)) continue;
    const std::string_view name = variable.substr(prefix.size());
    if (name == "DATABASE_URI" || name.starts_with("STATE_BACKEND_")) return true;
    return std::ranges::any_of(meltano_settings(), [&](const SettingDefinition& setting) {
      return setting.is_sensitive &&
             variable_name(prefix.substr(0, prefix.size() - 1), setting.name) == variable;
    });
  }
  return false;
}

// A map of variables with those of `below` in the place of `$NAME`.
os::Environment expanded(const std::optional<Node>& entry, const os::Environment& below) {
  const auto env = entry ? entry->optional_node("env") : std::nullopt;
  if (!env) return {};
  return variables_of(config::expand(*env, below, config::MissingVariable::kEmpty)).values;
}

// `env:` of the active environment, of the plugin and of its entry there. Each sees the one in
// front of it only, by Meltano's rule.
os::Environment declared_variables(const Project& project, const Plugin& plugin) {
  const os::Environment outer =
      overlay(overlay(project.dotenv().values, project.process_variables().values),
              project.own_variables().values);
  const os::Environment of_environment = expanded(project.active_environment(), outer);
  const os::Environment of_plugin = expanded(plugin.entry(), of_environment);
  const os::Environment of_entry = expanded(environment_entry(project, plugin), of_plugin);
  return overlay(overlay(of_plugin, without_withheld(of_environment)), of_entry);
}

}  // namespace

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

Variables plugin_variables(const Project& project, const Plugin& plugin,
                           const os::Environment& handed_on) {
  Variables variables =
      plugin.parent() ? plugin_variables(project, *plugin.parent(), {}) : Variables();
  variables = overlay(variables, project.process_variables());
  variables = overlay(variables, project.own_variables());
  variables = overlay(variables, meltano_variables(project));
  variables = overlay(variables, {handed_on});
  variables = overlay(variables, about(plugin));
  variables = overlay(variables, env_of(plugin.entry()));
  variables = overlay(variables, environment_variables(project, variables));
  return overlay(variables, env_of(environment_entry(project, plugin)));
}

os::Environment handed_on_by(const Plugin& plugin, const LayeredSettings& settings) {
  os::Environment::Variables variables = about(plugin).values.variables();
  for (const bool extras : {false, true}) {
    for (LayeredSettings::Exported& exported : settings.exported(extras)) {
      variables[exported.variable] = std::move(exported.value);
    }
  }
  return os::Environment(std::move(variables));
}

os::Environment plugin_environment(const Project& project, const Plugin& plugin,
                                   const LayeredSettings& settings,
                                   const os::Environment& handed_on) {
  os::Environment environment =
      overlay(project.dotenv().values, plugin_variables(project, plugin, handed_on).values);
  environment = overlay(environment, handed_on_by(plugin, settings));
  environment = overlay(without_withheld(environment), declared_variables(project, plugin));
  os::Environment::Variables variables = environment.variables();
  variables.try_emplace("MELTANO_JOB_TRIGGER", "cli");
  variables.try_emplace("PYTHONWARNINGS", "once");
  variables.erase("VIRTUAL_ENV");
  variables.erase("PYTHONPATH");
  return os::Environment(std::move(variables));
}

os::Environment without_withheld(const os::Environment& environment) {
  os::Environment::Variables kept = environment.variables();
  std::erase_if(kept, [](const auto& variable) { return is_withheld(variable.first); });
  return os::Environment(std::move(kept));
}

}  // namespace tidemark::project
