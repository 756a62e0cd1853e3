#include "tidemark/project/named_entries.h"

#include <cstddef>
#include <functional>
#include <utility>
#include <variant>

#include "tidemark/config/yaml.h"

namespace tidemark::project {
namespace {

using config::YamlPath;

const json::Value* find_below(const json::Value& document, const YamlPath& keys) {
  const json::Value* node = &document;
  for (const config::YamlStep& key : keys) {
    if (node != nullptr) node = node->find(std::get<std::string>(key));
  }
  return node;
}

std::optional<size_t> index_of(const json::Value& document, const YamlPath& list,
                               std::string_view name) {
  const json::Value* entries = find_below(document, list);
  if (entries == nullptr || !entries->is_array()) return std::nullopt;
  for (size_t i = 0; i < entries->as_array().size(); ++i) {
    const json::Value* found = entries->as_array()[i].find("name");
    if (found != nullptr && found->is_string() && found->as_string() == name) return i;
  }
  return std::nullopt;
}

// Gives the first file that has the entry to edit, with the entry's path. Whether there was one.
bool edit_entry(const Project& project, ProjectWriter& writer, const YamlPath& list,
                std::string_view name,
                const std::function<std::string(const std::string& text, const std::string& file,
                                                const YamlPath& path)>& edit) {
  for (const os::Path& file_path : project.files()) {
    const std::string file = file_path.lexically_relative(project.root()).native();
    bool is_found = false;
    writer.change(file_path, [&](const std::string& text) {
      const auto index = index_of(config::read_yaml(text, file).to_json(), list, name);
      is_found = index.has_value();
      if (!index) return text;
      YamlPath path = list;
      path.emplace_back(*index);
      return edit(text, file, path);
    });
    if (is_found) return true;
  }
  return false;
}

YamlPath below(YamlPath path, std::string_view key) {
  path.emplace_back(std::string(key));
  return path;
}

// The entry, or what would be left empty without it.
YamlPath with_what_it_empties(const json::Value& document, YamlPath entry) {
  entry.pop_back();
  const size_t count = find_below(document, entry)->as_array().size();
  if (count > 1) return {};
  while (entry.size() > 1) {
    YamlPath above = entry;
    above.pop_back();
    if (find_below(document, above)->as_object().size() > 1) break;
    entry = above;
  }
  return entry;
}

}  // namespace

NamedEntries::NamedEntries(const Project& project, ProjectWriter& writer, YamlPath list)
    : project_(project), writer_(writer), list_(std::move(list)) {}

void NamedEntries::add(const json::Object& entry) {
  const os::Path& path = project_.files().front();
  const std::string file = path.lexically_relative(project_.root()).native();
  writer_.change(path, [&](const std::string& text) {
    return config::append_in_yaml(text, file, list_, entry);
  });
}

bool NamedEntries::set(std::string_view name, const json::Object& members,
                       const std::vector<std::string>& gone) {
  return edit_entry(project_, writer_, list_, name,
                    [&](std::string text, const std::string& file, const YamlPath& path) {
                      for (const auto& [key, value] : members) {
                        text = config::set_in_yaml(text, file, below(path, key), value);
                      }
                      for (const std::string& key : gone) {
                        text = config::remove_from_yaml(text, file, below(path, key));
                      }
                      return text;
                    });
}

bool NamedEntries::remove(std::string_view name) {
  return edit_entry(project_, writer_, list_, name,
                    [&](const std::string& text, const std::string& file, const YamlPath& path) {
                      const json::Value document = config::read_yaml(text, file).to_json();
                      const YamlPath emptied = with_what_it_empties(document, path);
                      return config::remove_from_yaml(text, file, emptied.empty() ? path : emptied);
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
