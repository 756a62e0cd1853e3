#include "tidemark/project/variables.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/ascii.h"

namespace tidemark::project {

config::Node Variables::node(std::string_view name) const {
  config::Position place;
  if (const auto position = places.find(name); position != places.end()) {
    place = position->second;
  } else {
    place.file = std::make_shared<const std::string>(fmt::format("environment variable {}", name));
  }
  return config::Node::scalar(*values.find(name), std::move(place));
}

Variables variables_of(const config::Node& env) {
  os::Environment::Variables values;
  Variables variables;
  for (const config::Node::Member& member : env.members()) {
    if (member.value.is_null()) continue;
    const json::Value& value = member.value.value();
    if (value.is_bool()) {
      values[member.key] = value.as_bool() ? "True" : "False";
    } else {
      values[member.key] = value.is_number() ? value.as_number().text() : value.as_string();
    }
    variables.places[member.key] = member.value.position();
  }
  variables.values = os::Environment(std::move(values));
  return variables;
}

Variables overlay(const Variables& under, const Variables& over) {
  Variables both{overlay(under.values, over.values), under.places};
  for (const auto& [name, value] : over.values.variables()) {
    const auto place = over.places.find(name);
    if (place == over.places.end()) {
      both.places.erase(name);
    } else {
      both.places.insert_or_assign(name, place->second);
    }
  }
  return both;
}

os::Environment overlay(const os::Environment& under, const os::Environment& over) {
  os::Environment::Variables both = under.variables();
  for (const auto& [name, value] : over.variables()) both.insert_or_assign(name, value);
  return os::Environment(std::move(both));
}

std::string variable_name(std::string_view prefix, std::string_view setting) {
  std::string name;
  for (char c : fmt::format("{}_{}", prefix, setting)) {
    const char upper = ascii_upper(c);
    const bool is_kept = (upper >= 'A' && upper <= 'Z') || (upper >= '0' && upper <= '9');
    const bool is_inside_of_a_character = (static_cast<unsigned char>(c) & 0xC0U) == 0x80;
    if (!is_inside_of_a_character) name += is_kept ? upper : '_';
  }
  return name;
}

}  // namespace tidemark::project
