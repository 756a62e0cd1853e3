#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidemark/config/node.h"
#include "tidemark/json/value.h"

namespace tidemark::project {

// What the value of a setting is; Meltano's other words (email, file, tzname, ...) are text.
enum class SettingKind {
  kString,
  kInteger,
  kDecimal,
  kBoolean,
  kOptions,
  kArray,
  kObject,
  kDate,
};

// A setting as an entry of `settings:` defines it.
struct SettingDefinition {
  std::string name;
  SettingKind kind = SettingKind::kString;
  json::Value default_value = {};
  std::vector<std::string> aliases = {};
  // Variables it is read from beside those made of its name; `!NAME` negates.
  std::vector<std::string> env_aliases = {};
  // The variable it is handed to the plugin in, never read.
  std::string env = {};
  std::vector<json::Value> options = {};
  std::string label = {};
  std::string description = {};
  bool is_sensitive = false;
  // Kept in .env rather than in the project file.
  bool is_env_specific = false;
  // Not defined: found in a project file.
  bool is_custom = false;
  // Keys with dots become maps in maps.
  bool is_nested = false;

  bool is_extra() const { return name.starts_with('_'); }
};

// Entries of `settings:`. Error kInvalid for one that is no map, has no name or a kind of no known
// name.
std::vector<SettingDefinition> read_setting_definitions(const config::Node& settings);

// The definition of what nobody defined, its kind told from the value.
SettingDefinition custom_definition(std::string_view name, const config::Node& value);

// The value as the definition's kind has it, by Meltano's rules: only text is changed. Numbers as
// Python reads them; a boolean is true for `true`, `1`, `yes`, `on` in any case, else false; arrays
// and objects are JSON, else a literal of Python. Error kInvalid names place and setting, and shows
// no value but a wrong choice.
config::Node cast_setting(const SettingDefinition& definition, const config::Node& value);

// Meltano's word for true in settings: `true`, `1`, `yes`, `on` in any case.
bool is_truthy(std::string_view text);

}  // namespace tidemark::project
