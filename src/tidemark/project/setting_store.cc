#include "tidemark/project/setting_store.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/config/nearest.h"
#include "tidemark/config/yaml.h"
#include "tidemark/config/yaml_edit.h"
#include "tidemark/json/write.h"
#include "tidemark/project/dotenv_edit.h"

namespace tidemark::project {
namespace {

using config::YamlPath;

// It says which project this is: no setting of it.
constexpr std::string_view kProjectId = "project_id";

json::Value read(const std::string& text, const std::string& file) {
  return config::read_yaml(text, file).to_json();
}

const json::Value* find_node(const json::Value& document, const YamlPath& path) {
  const json::Value* node = &document;
  for (const config::YamlStep& step : path) {
    if (node == nullptr) break;
    if (const auto* key = std::get_if<std::string>(&step)) {
      node = node->find(*key);
    } else {
      node = &node->as_array().at(std::get<size_t>(step));
    }
  }
  return node;
}

// One project file that has the owner's settings, and what is done to it.
class OwnerEditor {
 public:
  OwnerEditor(std::string text, std::string file, const SettingOwner& owner)
      : text_(std::move(text)),
        file_(std::move(file)),
        owner_(owner),
        is_plugin_(owner.plugin != nullptr) {
    read_again();
  }

  bool has_owner() const { return path_.has_value(); }
  bool has_environment() const { return entries_in_environment(document_, owner_).has_value(); }
  bool has(const std::string& name) const {
    return path_ && find_setting(document_, *path_, is_plugin_, name);
  }
  std::string take() { return std::move(text_); }

  void set(const std::string& name, const json::Value& value) {
    const YamlPath place = place_to_write(name);
    text_ = config::set_in_yaml(text_, file_, place, value);
    read_again();
  }

  void append(const std::string& name, const json::Value& item) {
    const YamlPath place = place_to_write(name);
    text_ = config::append_in_yaml(text_, file_, place, item);
    read_again();
  }

  // The first equal one; false when there is none.
  bool remove_item(const std::string& name, const json::Value& item) {
    if (!path_) return false;
    std::optional<YamlPath> place = find_setting(document_, *path_, is_plugin_, name);
    const json::Value* list = place ? find_node(document_, *place) : nullptr;
    if (list == nullptr || !list->is_array()) return false;
    const auto found = std::ranges::find(list->as_array(), item);
    if (found == list->as_array().end()) return false;
    place->emplace_back(static_cast<size_t>(found - list->as_array().begin()));
    text_ = config::remove_from_yaml(text_, file_, *place);
    read_again();
    return true;
  }

  void remove(const std::string& name) {
    while (path_) {
      const std::optional<YamlPath> place = find_setting(document_, *path_, is_plugin_, name);
      if (!place) return;
      text_ =
          config::remove_from_yaml(text_, file_, with_emptied_parents(document_, *path_, *place));
      read_again();
    }
  }

 private:
  void read_again() {
    document_ = read(text_, file_);
    path_ = find_owner(document_, owner_);
  }

  YamlPath place_to_write(const std::string& name) {
    if (!path_) {
      add_owner();
      read_again();
    }
    const std::optional<YamlPath> place = find_setting(document_, *path_, is_plugin_, name);
    return place ? *place : new_setting(document_, *path_, is_plugin_, name);
  }

  // Only an environment may lack the plugin.
  void add_owner() {
    text_ = config::append_in_yaml(text_, file_, *entries_in_environment(document_, owner_),
                                   json::Object{{"name", owner_.plugin->name()}});
  }

  std::string text_;
  std::string file_;
  const SettingOwner& owner_;
  bool is_plugin_;
  json::Value document_;
  std::optional<YamlPath> path_;
};

}  // namespace

SettingStore read_setting_store(std::string_view word) {
  constexpr std::array<std::string_view, 4> kKnown{"auto", "dotenv", "meltano_yml", "db"};
  if (word == "auto") return SettingStore::kAuto;
  if (word == "dotenv") return SettingStore::kDotenv;
  if (word == "meltano_yml" || word == "meltano_environment") return SettingStore::kProjectFile;
  if (word == "db") {
    throw Error(ErrorCode::kUnsupported,
                "the store 'db' holds Python pickles, which tidemark neither reads nor writes; use "
                "auto, dotenv or meltano_yml");
  }
  throw Error(ErrorCode::kInvalid,
              fmt::format("unknown store '{}'{}", word, config::suggestion(word, kKnown)));
}

SettingWriter::SettingWriter(const Project& project, const Plugin* plugin,
                             const LayeredSettings& settings, ProjectWriter& writer)
    : project_(project), plugin_(plugin), settings_(settings), writer_(writer) {}

std::string SettingWriter::relative(const os::Path& file) const {
  return file.lexically_relative(project_.root()).native();
}

// Meltano's own settings are in no environment.
std::string SettingWriter::environment() const {
  return plugin_ == nullptr ? std::string() : project_.environment_name().value_or("");
}

std::vector<std::string> SettingWriter::names_of(const std::string& name) const {
  const SettingDefinition* definition = settings_.find_definition(name);
  if (definition == nullptr) return {name};
  std::vector<std::string> names{definition->name};
  names.insert(names.end(), definition->aliases.begin(), definition->aliases.end());
  return names;
}

std::vector<std::string> SettingWriter::variables_of(const std::string& name) const {
  const SettingDefinition* definition = settings_.find_definition(name);
  if (definition == nullptr) return {};
  std::vector<std::string> variables = settings_.variables(*definition);
  for (std::string& variable : variables) {
    if (variable.starts_with('!')) variable.erase(0, 1);
  }
  return variables;
}

std::string SettingWriter::set(const std::string& name, const json::Value& value,
                               SettingStore store) {
  const SettingDefinition* definition = settings_.find_definition(name);
  const bool is_private =
      definition != nullptr && (definition->is_sensitive || definition->is_env_specific);
  const bool to_dotenv =
      store == SettingStore::kDotenv || (store == SettingStore::kAuto && is_private);
  return to_dotenv ? set_in_dotenv(name, value) : set_in_files(name, value);
}

std::string SettingWriter::set_in_dotenv(const std::string& name, const json::Value& value) {
  const SettingDefinition* definition = settings_.find_definition(name);
  const std::string file = relative(project_.dotenv_file());
  if (definition == nullptr) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("unknown setting '{}' cannot be set in `{}`; define it in a project "
                            "file, or use another store",
                            name, file));
  }
  const std::string variable = settings_.written_variable(*definition);
  const std::string text = value.is_string() ? value.as_string() : json::write_python(value);
  writer_.change(project_.dotenv_file(), [&](const std::string& old) {
    std::string edited = project::set_in_dotenv(old, file, variable, text);
    for (const std::string& other : variables_of(name)) {
      if (other != variable) edited = project::remove_from_dotenv(edited, file, other);
    }
    return edited;
  });
  return fmt::format("`{}`", file);
}

std::string SettingWriter::set_in_files(const std::string& name, const json::Value& value) {
  const SettingOwner owner{plugin_, environment()};
  const os::Path& file = file_for(name, owner);
  writer_.change(file, [&](const std::string& text) {
    OwnerEditor editor(text, relative(file), owner);
    editor.set(name, value);
    for (const std::string& other : names_of(name)) {
      if (other != name) editor.remove(other);
    }
    return editor.take();
  });
  return owner.environment.empty() ? fmt::format("`{}`", relative(file))
                                   : fmt::format("the active environment in `{}`", relative(file));
}

void SettingWriter::append(const std::string& name, const json::Value& item) {
  const SettingOwner owner{plugin_, environment()};
  const os::Path& file = file_for(name, owner);
  writer_.change(file, [&](const std::string& text) {
    OwnerEditor editor(text, relative(file), owner);
    editor.append(name, item);
    return editor.take();
  });
}

bool SettingWriter::remove_item(const std::string& name, const json::Value& item) {
  const SettingOwner owner{plugin_, environment()};
  const os::Path& file = file_for(name, owner);
  bool is_removed = false;
  writer_.change(file, [&](const std::string& text) {
    OwnerEditor editor(text, relative(file), owner);
    is_removed = editor.remove_item(name, item);
    return editor.take();
  });
  return is_removed;
}

const os::Path& SettingWriter::file_for(const std::string& name, const SettingOwner& owner) const {
  const os::Path* chosen = nullptr;
  for (const os::Path& file : project_.files()) {
    const OwnerEditor editor(os::read_file(file), relative(file), owner);
    const bool is_home = plugin_ != nullptr ? editor.has_owner() || (!owner.environment.empty() &&
                                                                     editor.has_environment())
                                            : editor.has(name);
    // Where the plugin's entry already is, else where its environment is.
    if (is_home && (chosen == nullptr || editor.has_owner())) chosen = &file;
    if (is_home && (plugin_ == nullptr || editor.has_owner())) break;
  }
  return chosen == nullptr ? project_.files().front() : *chosen;
}

std::vector<std::string> SettingWriter::unset(const std::string& name, SettingStore store) {
  return remove(names_of(name), variables_of(name), store);
}

std::vector<std::string> SettingWriter::reset(SettingStore store) {
  std::vector<std::string> names;
  std::vector<std::string> variables;
  for (const SettingDefinition& definition : settings_.definitions()) {
    if (plugin_ == nullptr && (definition.is_custom || definition.name == kProjectId)) continue;
    for (std::string& name : names_of(definition.name)) names.push_back(std::move(name));
    for (std::string& variable : variables_of(definition.name)) {
      variables.push_back(std::move(variable));
    }
  }
  return remove(names, variables, store);
}

std::vector<std::string> SettingWriter::remove(const std::vector<std::string>& names,
                                               const std::vector<std::string>& variables,
                                               SettingStore store) {
  std::vector<std::string> places;
  if (store != SettingStore::kProjectFile && remove_from_dotenv(variables)) {
    places.push_back(fmt::format("`{}`", relative(project_.dotenv_file())));
  }
  if (store == SettingStore::kDotenv) return places;
  const bool has_environment = !environment().empty();
  const std::string main_file = relative(project_.files().front());
  if (has_environment && remove_from_files(names, true)) {
    places.push_back(fmt::format("the active environment in `{}`", main_file));
  }
  const bool is_everywhere = store == SettingStore::kAuto || !has_environment;
  if (is_everywhere && remove_from_files(names, false)) {
    places.push_back(fmt::format("`{}`", main_file));
  }
  return places;
}

bool SettingWriter::remove_from_dotenv(const std::vector<std::string>& variables) {
  const std::string file = relative(project_.dotenv_file());
  if (!os::path_exists(project_.dotenv_file())) return false;
  return writer_.change(project_.dotenv_file(), [&](const std::string& old) {
    std::string edited = old;
    for (const std::string& variable : variables) {
      edited = project::remove_from_dotenv(edited, file, variable);
    }
    return edited;
  });
}

bool SettingWriter::remove_from_files(const std::vector<std::string>& names, bool in_environment) {
  const SettingOwner owner{plugin_, in_environment ? environment() : std::string()};
  bool is_changed = false;
  for (const os::Path& file : project_.files()) {
    const bool is_changed_here = writer_.change(file, [&](const std::string& text) {
      OwnerEditor editor(text, relative(file), owner);
      for (const std::string& name : names) editor.remove(name);
      return editor.take();
    });
    is_changed = is_changed || is_changed_here;
  }
  return is_changed;
}

}  // namespace tidemark::project
