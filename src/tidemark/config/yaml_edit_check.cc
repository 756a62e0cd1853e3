#include "tidemark/config/yaml_edit_check.h"

#include <algorithm>
#include <cstddef>
#include <variant>

#include "tidemark/base/error.h"
#include "tidemark/config/yaml.h"

namespace tidemark::config {
namespace {

// nullptr where there is no such element.
json::Value* element(json::Value& list, size_t index) {
  return list.is_array() && index < list.as_array().size() ? &list.as_array()[index] : nullptr;
}

json::Value* find_value(json::Value& root, const YamlPath& path, size_t steps) {
  json::Value* value = &root;
  for (size_t i = 0; i < steps && value != nullptr; ++i) {
    const auto* key = std::get_if<std::string>(&path[i]);
    value = key != nullptr ? value->find(*key) : element(*value, std::get<size_t>(path[i]));
  }
  return value;
}

bool says_the_same(const json::Value& a, const json::Value& b) {
  if (a.is_object() && b.is_object()) {
    const auto& members = a.as_object();
    return members.size() == b.as_object().size() &&
           std::ranges::all_of(members, [&](const json::Object::Member& member) {
             const json::Value* other = b.find(member.first);
             return other != nullptr && says_the_same(member.second, *other);
           });
  }
  if (a.is_array() && b.is_array()) {
    return std::ranges::equal(a.as_array(), b.as_array(), says_the_same);
  }
  return a == b;
}

bool keeps_the_rest(std::string_view text, std::string_view edited, YamlRange range) {
  const std::string_view before = text.substr(0, range.begin);
  const std::string_view behind = text.substr(range.end);
  return edited.size() >= before.size() + behind.size() && edited.starts_with(before) &&
         edited.ends_with(behind);
}

}  // namespace

bool set_value(json::Value& document, const YamlPath& path, const json::Value& value) {
  json::Value* place = &document;
  for (const YamlStep& step : path) {
    if (const auto* key = std::get_if<std::string>(&step)) {
      if (!place->is_object()) *place = json::Object();
      place = &place->as_object()[*key];
    } else {
      place = element(*place, std::get<size_t>(step));
      if (place == nullptr) return false;
    }
  }
  *place = value;
  return true;
}

bool append_value(json::Value& document, const YamlPath& path, const json::Value& value) {
  json::Value* list = find_value(document, path, path.size());
  if (list == nullptr || !list->is_array()) return set_value(document, path, json::Array{value});
  list->as_array().push_back(value);
  return true;
}

bool remove_value(json::Value& document, const YamlPath& path) {
  json::Value* parent = find_value(document, path, path.size() - 1);
  if (parent == nullptr) return false;
  if (const auto* key = std::get_if<std::string>(&path.back())) {
    if (parent->find(*key) == nullptr) return false;
    parent->as_object().erase(*key);
    return true;
  }
  const size_t index = std::get<size_t>(path.back());
  if (element(*parent, index) == nullptr) return false;
  json::Array& array = parent->as_array();
  array.erase(array.begin() + static_cast<std::ptrdiff_t>(index));
  return true;
}

bool is_right_edit(std::string_view text, const std::string& edited, const std::string& file,
                   YamlRange range, const json::Value& intended) {
  if (!keeps_the_rest(text, edited, range)) return false;
  try {
    return says_the_same(read_yaml(edited, file).to_json(), intended);
  } catch (const Error&) {
    return false;
  }
}

}  // namespace tidemark::config
