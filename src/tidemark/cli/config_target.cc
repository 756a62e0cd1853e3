#include "tidemark/cli/config_target.h"

#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/project_access.h"
#include "tidemark/net/url.h"
#include "tidemark/project/plugin_settings.h"
#include "tidemark/project/python_literal.h"

namespace tidemark::cli {
namespace {

constexpr std::string_view kMeltano = "meltano";

std::optional<project::PluginType> plugin_type(const std::string& word) {
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

// Passwords in addresses, at any depth.
json::Value without_passwords(json::Value value) {
  if (value.is_string() && value.as_string().find("://") != std::string::npos) {
    return net::mask_url(value.as_string());
  }
  if (value.is_array()) {
    for (json::Value& item : value.as_array()) item = without_passwords(std::move(item));
  } else if (value.is_object()) {
    for (auto& [key, member] : value.as_object()) member = without_passwords(std::move(member));
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
  const auto type = plugin_type(arguments.plugin_type);
  project::Project project = open_project(console, project::EnvironmentUse::kExplicit);
  if (arguments.plugin == kMeltano && !type) {
    project::LayeredSettings settings = project.settings();
    return {std::move(project), std::nullopt, std::move(settings), arguments.is_unsafe};
  }
  auto plugin = project::Plugin::find(project.document(), project.root(), arguments.plugin, type);
  if (!plugin) {
    const std::string_view word = type ? project::words_of(*type).singular : "plugin";
    throw Error(ErrorCode::kNotFound,
                fmt::format("the project has no {} '{}'", word, arguments.plugin));
  }
  project::LayeredSettings settings = project::plugin_settings(project, *plugin);
  return {std::move(project), std::move(plugin), std::move(settings), arguments.is_unsafe};
}

std::string shown_value(const ConfigTarget& target, const project::SettingDefinition* definition,
                        const config::Node& value) {
  if (!value.is_null() && is_secret(target, definition)) return "(redacted)";
  json::Value shown = value.to_json();
  return project::python_literal(target.is_unsafe ? std::move(shown)
                                                  : without_passwords(std::move(shown)));
}

json::Value masked_value(const ConfigTarget& target, const project::SettingDefinition* definition,
                         json::Value value) {
  if (!value.is_null() && is_secret(target, definition)) return "*****";
  return target.is_unsafe ? std::move(value) : without_passwords(std::move(value));
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
