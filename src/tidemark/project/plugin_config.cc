#include "tidemark/project/plugin_config.h"

#include <cstddef>
#include <string>
#include <utility>

#include "tidemark/json/python_number.h"

namespace tidemark::project {

void put_setting(json::Value& object, std::string_view name, json::Value value) {
  json::Value* place = &object;
  std::string key;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i).starts_with("\\.")) {
      key += name[++i];
    } else if (name[i] == '.') {
      place = &place->as_object()[std::exchange(key, "")];
      if (!place->is_object()) *place = json::Object();
    } else {
      key += name[i];
    }
  }
  json::Value& member = place->as_object()[key];
  if (!value.is_object() || value.as_object().empty()) {
    if (!value.is_object() || !member.is_object()) member = std::move(value);
    return;
  }
  if (!member.is_object()) member = json::Object();
  for (auto& [inner, inner_value] : value.as_object())
    put_setting(member, inner, std::move(inner_value));
}

json::Value plugin_config(const LayeredSettings& settings) {
  json::Value config{json::Object()};
  for (const SettingDefinition& definition : settings.definitions()) {
    if (definition.is_extra()) continue;
    json::Value value = settings.find(definition.name).value.to_json();
    if (value.is_null()) continue;
    put_setting(config, definition.name, json::with_python_numbers(std::move(value)));
  }
  return config;
}

}  // namespace tidemark::project
