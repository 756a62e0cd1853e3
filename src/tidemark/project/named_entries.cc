#include "tidemark/project/named_entries.h"

#include <cstddef>
#include <functional>

#include "tidemark/config/yaml.h"
#include "tidemark/config/yaml_edit.h"

namespace tidemark::project {
namespace {

using config::YamlPath;

std::optional<size_t> index_of(const json::Value& document, const std::string& list,
                               std::string_view name) {
  const json::Value* entries = document.find(list);
  if (entries == nullptr || !entries->is_array()) return std::nullopt;
  for (size_t i = 0; i < entries->as_array().size(); ++i) {
    const json::Value* found = entries->as_array()[i].find("name");
    if (found != nullptr && found->is_string() && found->as_string() == name) return i;
  }
  return std::nullopt;
}

// Gives the first file that has the entry to edit, with the entry's path. Whether there was one.
bool edit_entry(const Project& project, ProjectWriter& writer, const std::string& list,
                std::string_view name,
                const std::function<std::string(const std::string& text, const std::string& file,
                                                const YamlPath& path)>& edit) {
  for (const os::Path& path : project.files()) {
    const std::string file = path.lexically_relative(project.root()).native();
    bool is_found = false;
    writer.change(path, [&](const std::string& text) {
      const auto index = index_of(config::read_yaml(text, file).to_json(), list, name);
      is_found = index.has_value();
      return index ? edit(text, file, {list, *index}) : text;
    });
    if (is_found) return true;
  }
  return false;
}

}  // namespace

NamedEntries::NamedEntries(const Project& project, ProjectWriter& writer, std::string_view list)
    : project_(project), writer_(writer), list_(list) {}

void NamedEntries::add(const json::Object& entry) {
  const os::Path& path = project_.files().front();
  const std::string file = path.lexically_relative(project_.root()).native();
  writer_.change(path, [&](const std::string& text) {
    return config::append_in_yaml(text, file, {list_}, entry);
  });
}

bool NamedEntries::set(std::string_view name, std::string_view key, const json::Value& value) {
  return edit_entry(project_, writer_, list_, name,
                    [&](const std::string& text, const std::string& file, const YamlPath& path) {
                      YamlPath member = path;
                      member.emplace_back(std::string(key));
                      return config::set_in_yaml(text, file, member, value);
                    });
}

bool NamedEntries::remove(std::string_view name) {
  return edit_entry(project_, writer_, list_, name,
                    [&](const std::string& text, const std::string& file, const YamlPath& path) {
                      const json::Value document = config::read_yaml(text, file).to_json();
                      const bool is_last = document.find(list_)->as_array().size() == 1;
                      return config::remove_from_yaml(text, file, is_last ? YamlPath{list_} : path);
                    });
}

std::optional<config::Node> find_entry(const Project& project, std::string_view list,
                                       std::string_view name) {
  const std::optional<config::Node> entries = project.document().optional_node(list);
  if (!entries) return std::nullopt;
  for (const config::Node& entry : entries->items()) {
    if (entry.require("name").string() == name) return entry;
  }
  return std::nullopt;
}

}  // namespace tidemark::project
