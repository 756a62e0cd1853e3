#include "tidemark/cli/config_print.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tidemark/json/write.h"
#include "tidemark/project/plugin_config.h"

namespace tidemark::cli {
namespace {

using project::SettingDefinition;

std::string json_text(const ConfigTarget& target, bool extras) {
  const bool shows_null = extras || !target.plugin;
  json::Value root{json::Object()};
  for (const SettingDefinition& definition : target.settings.definitions()) {
    if (definition.is_extra() != extras) continue;
    json::Value value = target.settings.find(definition.name).value.to_json();
    if (value.is_null() && !shows_null) continue;
    value = masked_value(target, &definition, value);
    if (extras) {
      root.as_object().set(definition.name, std::move(value));
    } else {
      project::put_setting(root, definition.name, std::move(value));
    }
  }
  return json::write_pretty(root);
}

std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string env_text(const ConfigTarget& target, bool extras) {
  std::string out;
  for (const project::LayeredSettings::Exported& exported : target.settings.exported(extras)) {
    const SettingDefinition definition{.name = exported.variable,
                                       .is_sensitive = exported.is_sensitive};
    const json::Value value = masked_value(target, &definition, exported.value);
    out += fmt::format("{}={}\n", exported.variable, in_quotes(value.as_string()));
  }
  return out;
}

}  // namespace

std::string config_print_text(const ConfigTarget& target, const ConfigPrintArguments& arguments) {
  return arguments.format == "env" ? env_text(target, arguments.extras)
                                   : json_text(target, arguments.extras);
}

}  // namespace tidemark::cli
