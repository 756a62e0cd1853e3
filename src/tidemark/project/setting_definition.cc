#include "tidemark/project/setting_definition.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/ascii.h"
#include "tidemark/config/yaml_scalar.h"
#include "tidemark/json/read.h"
#include "tidemark/project/python_literal.h"

namespace tidemark::project {
namespace {

using config::Node;

struct KindWord {
  std::string_view word;
  SettingKind kind;
};

constexpr std::array kKindWords{
    KindWord{"array", SettingKind::kArray},     KindWord{"boolean", SettingKind::kBoolean},
    KindWord{"date", SettingKind::kDate},       KindWord{"date_iso8601", SettingKind::kDate},
    KindWord{"decimal", SettingKind::kDecimal}, KindWord{"email", SettingKind::kString},
    KindWord{"file", SettingKind::kString},     KindWord{"hidden", SettingKind::kString},
    KindWord{"integer", SettingKind::kInteger}, KindWord{"oauth", SettingKind::kString},
    KindWord{"object", SettingKind::kObject},   KindWord{"options", SettingKind::kOptions},
    KindWord{"password", SettingKind::kString}, KindWord{"string", SettingKind::kString},
    KindWord{"tzname", SettingKind::kString},   KindWord{"datetime", SettingKind::kDate},
    KindWord{"text", SettingKind::kString},     KindWord{"url", SettingKind::kString},
};

SettingKind read_kind(const Node& kind) {
  const std::string word = kind.string();
  const auto* known = std::ranges::find(kKindWords, word, &KindWord::word);
  if (known == kKindWords.end()) {
    throw kind.error(fmt::format("'{}' is no kind of a setting", word));
  }
  return known->kind;
}

std::vector<std::string> strings_of(const Node& entry, std::string_view key) {
  return entry.optional_strings(key).value_or(std::vector<std::string>());
}

bool flag_of(const Node& entry, std::string_view key) {
  return entry.optional_boolean(key).value_or(false);
}

SettingDefinition read_definition(const Node& entry) {
  SettingDefinition definition;
  definition.name = entry.require("name").string();
  const std::optional<Node> kind = entry.optional_node("kind");
  if (kind) definition.kind = read_kind(*kind);
  definition.is_sensitive =
      flag_of(entry, "sensitive") || (kind && kind->string() == std::string_view("password"));
  if (const auto value = entry.find("value")) definition.default_value = value->to_json();
  definition.aliases = strings_of(entry, "aliases");
  definition.env_aliases = strings_of(entry, "env_aliases");
  definition.env = entry.optional_string("env").value_or("");
  if (const auto options = entry.optional_node("options")) {
    for (const Node& option : options->items()) {
      definition.options.push_back(option.is_map() ? option.require("value").to_json()
                                                   : option.to_json());
    }
  }
  definition.label = entry.optional_string("label").value_or("");
  definition.description = entry.optional_string("description").value_or("");
  definition.is_env_specific = flag_of(entry, "env_specific");
  definition.is_nested =
      entry.optional_string("value_processor").value_or("") == std::string_view("nest_object");
  return definition;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\f\v";
  const size_t first = std::min(text.find_first_not_of(kBlanks), text.size());
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// int() of Python, and Decimal() of what has no infinities.
json::Value read_number(const Node& value, bool is_integer) {
  const std::string_view text = trimmed(value.value().as_string());
  const bool is_python = text.find_first_of("xXoObB") == std::string_view::npos;
  const auto number = is_python ? config::resolve_plain_scalar(text) : std::nullopt;
  if (!number || !number->is_number() || (is_integer && !number->as_number().is_integer())) {
    throw value.error(is_integer ? "expected an integer" : "expected a number");
  }
  return *number;
}

std::optional<json::Value> read_json(std::string_view text) {
  try {
    return json::read(text);
  } catch (const Error&) {
    return read_python_literal(text);
  }
}

json::Value read_container(const Node& value, bool is_array) {
  std::optional<json::Value> read = read_json(value.value().as_string());
  if (!read || (is_array ? !read->is_array() : !read->is_object())) {
    throw value.error(is_array ? "expected an array, as JSON or as a literal of Python"
                               : "expected an object, as JSON or as a literal of Python");
  }
  return std::move(*read);
}

// Of another kind than text when that is what the definition asks for.
json::Value read_text(const SettingDefinition& definition, const Node& value) {
  switch (definition.kind) {
    case SettingKind::kBoolean:
      return is_truthy(value.value().as_string());
    case SettingKind::kInteger:
    case SettingKind::kDecimal:
      return read_number(value, definition.kind == SettingKind::kInteger);
    case SettingKind::kArray:
    case SettingKind::kObject:
      return read_container(value, definition.kind == SettingKind::kArray);
    case SettingKind::kString:
    case SettingKind::kOptions:
    case SettingKind::kDate:
      break;
  }
  return value.value();
}

void check_option(const SettingDefinition& definition, const Node& value) {
  const json::Value chosen = value.to_json();
  if (std::ranges::find(definition.options, chosen) != definition.options.end()) return;
  std::string known;
  for (const json::Value& option : definition.options) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ",
                         option.is_string() ? option.as_string() : python_literal(option));
  }
  throw value.error(fmt::format("{} is not a valid choice for '{}'; known: {}",
                                python_literal(chosen), definition.name, known));
}

}  // namespace

std::vector<SettingDefinition> read_setting_definitions(const Node& settings) {
  std::vector<SettingDefinition> definitions;
  for (const Node& entry : settings.items()) definitions.push_back(read_definition(entry));
  return definitions;
}

SettingDefinition custom_definition(std::string_view name, const Node& value) {
  SettingDefinition definition{.name = std::string(name), .is_custom = true};
  const json::Value json = value.to_json();
  if (json.is_bool()) {
    definition.kind = SettingKind::kBoolean;
  } else if (json.is_number()) {
    definition.kind = json.as_number().is_integer() ? SettingKind::kInteger : SettingKind::kDecimal;
  } else if (json.is_array()) {
    definition.kind = SettingKind::kArray;
  } else if (json.is_object()) {
    definition.kind = SettingKind::kObject;
  }
  return definition;
}

Node cast_setting(const SettingDefinition& definition, const Node& value) {
  const Node named = value.with_path(definition.name);
  Node cast = named;
  if (named.is_string()) {
    cast =
        Node::from_json(read_text(definition, named), named.position()).with_path(definition.name);
  }
  if (definition.kind == SettingKind::kOptions && !cast.is_null()) check_option(definition, cast);
  return cast;
}

bool is_truthy(std::string_view text) {
  constexpr std::array<std::string_view, 4> kTrue{"true", "1", "yes", "on"};
  const std::string word = ascii_lower(text);
  return std::ranges::find(kTrue, word) != kTrue.end();
}

}  // namespace tidemark::project
