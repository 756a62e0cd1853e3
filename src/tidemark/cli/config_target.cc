#include "tidemark/cli/config_target.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tidemark/cli/find_plugin.h"
#include "tidemark/cli/plugin_type.h"
#include "tidemark/cli/project_access.h"
#include "tidemark/net/url.h"
#include "tidemark/project/plugin_settings.h"
#include "tidemark/project/python_literal.h"

namespace tidemark::cli {
namespace {

constexpr std::string_view kMeltano = "meltano";

// Passwords in addresses, at any depth.
json::Value without_passwords(const json::Value& value) {
  if (value.is_string() && value.as_string().find("://") != std::string::npos) {
    return net::mask_url(value.as_string());
  }
  if (value.is_array()) {
    json::Array items;
    for (const json::Value& item : value.as_array()) items.push_back(without_passwords(item));
    return items;
  }
  if (value.is_object()) {
    json::Object object;
    for (const auto& [key, member] : value.as_object()) object.set(key, without_passwords(member));
    return object;
  }
  return value;
}

bool is_secret(const ConfigTarget& target, const project::SettingDefinition* definition) {
  return !target.is_unsafe && definition != nullptr && definition->is_sensitive;
}

std::string line_of(const config::Position& position) {
  return position.line == 0 ? "" : fmt::format(", line {}", position.line);
}

std::string file_of(const config::Position& position) {
  return position.file ? *position.file : std::string();
}

}  // namespace

std::string ConfigTarget::label() const { return plugin ? plugin->label() : "Meltano"; }

ConfigTarget open_config_target(const Console& console, const ConfigArguments& arguments) {
  const auto type = read_plugin_type(arguments.plugin_type);
  project::Project project = open_project(console, project::EnvironmentUse::kExplicit);
  if (arguments.plugin == kMeltano && !type) {
    project::LayeredSettings settings = project.settings();
    return {std::move(project), std::nullopt, std::move(settings), arguments.is_unsafe};
  }
  project::Plugin plugin = find_plugin(project, arguments.plugin, type);
  project::LayeredSettings settings = project::plugin_settings(project, plugin);
  return {std::move(project), std::move(plugin), std::move(settings), arguments.is_unsafe};
}

std::string shown_value(const ConfigTarget& target, const project::SettingDefinition* definition,
                        const config::Node& value) {
  if (!value.is_null() && is_secret(target, definition)) return "(redacted)";
  const json::Value shown = value.to_json();
  return project::python_literal(target.is_unsafe ? shown : without_passwords(shown));
}

json::Value masked_value(const ConfigTarget& target, const project::SettingDefinition* definition,
                         const json::Value& value) {
  if (!value.is_null() && is_secret(target, definition)) return "*****";
  return target.is_unsafe ? value : without_passwords(value);
}

std::string shown_source(const ConfigTarget& target, const project::Setting& setting) {
  using project::SettingSource;
  const config::Position& position = setting.written.position();
  const std::string file = file_of(position);
  const std::string line = line_of(position);
  switch (setting.source) {
    case SettingSource::kOverride:
      return "from the command line";
    case SettingSource::kEnvironment:
      return line.empty() ? fmt::format("from the {} variable in the environment", setting.variable)
                          : fmt::format("from the {} variable in `env:` of `{}`{}",
                                        setting.variable, file, line);
    case SettingSource::kDotenv:
      return fmt::format("from the {} variable in `{}`{}", setting.variable, file, line);
    case SettingSource::kActiveEnvironment:
      return fmt::format("from the active environment in `{}`{}", file, line);
    case SettingSource::kProjectFile:
      return fmt::format("from `{}`{}", file, line);
    case SettingSource::kInherited:
      return fmt::format("inherited from '{}'", target.plugin->parent()->name());
    case SettingSource::kDefault:
      break;
  }
  return "default";
}

}  // namespace tidemark::cli
