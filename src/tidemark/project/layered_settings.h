#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/config/expand.h"
#include "tidemark/config/node.h"
#include "tidemark/project/setting_definition.h"
#include "tidemark/project/variables.h"

namespace tidemark::project {

// Where the value of a setting comes from, the strongest first.
enum class SettingSource {
  kOverride,           // a flag of the command
  kEnvironment,        // a variable of the process, or of `env:` in a project file
  kDotenv,             // a variable of .env
  kActiveEnvironment,  // the active environment's part of a project file
  kProjectFile,
  kInherited,  // what the plugin has that this one inherits from
  kDefault,    // the definition, or nothing at all
};

// A setting's value. Null when nothing sets it, and when what does expands to nothing.
struct Setting {
  config::Node value = {};  // variables in their place, of the definition's kind
  SettingSource source = SettingSource::kDefault;
  config::Node written = {};  // as it stands at its place
  std::string variable = {};  // of kEnvironment and kDotenv
};

// Meltano's layers of settings: each is looked for in one after the other, and the first value that
// is not null counts. What a file or a default says has its variables expanded; what a variable
// brings has not. Immutable.
class LayeredSettings {
 public:
  struct Layers {
    // Meltano's own or the plugin's, extras behind.
    std::vector<SettingDefinition> definitions = {};
    // What stands in front of a setting's name in its variables. Two variables of one group that
    // are set are an error; a variable of an earlier group hides those of later ones.
    std::vector<std::vector<std::string>> prefixes = {};
    bool reads_env_aliases = true;
    // Prefixes of the variables in which the values are handed to a plugin.
    std::vector<std::string> export_prefixes = {};
    // The layers themselves. Maps in maps and keys with dots are the same.
    config::Node overrides = {};
    Variables environment = {};
    Variables dotenv = {};
    config::Node active_environment = {};
    config::Node project_file = {};
    std::shared_ptr<const LayeredSettings> parent = {};
    // What becomes of a variable that is not set.
    config::MissingVariable missing = config::MissingVariable::kEmpty;
  };

  explicit LayeredSettings(Layers layers);

  // Those of the layers, then custom ones: whatever else the files set, and what the parent has in
  // a project file outside of environments.
  const std::vector<SettingDefinition>& definitions() const { return definitions_; }
  // By its name or an alias.
  const SettingDefinition* find_definition(std::string_view name) const;
  // Error kInvalid, with the place: a value that is not of its kind, several variables or keys of
  // one setting that are set, a variable that is not set where that is an error.
  Setting find(std::string_view name) const;

  // The variables that the setting is read from, as `!NAME` where they negate.
  std::vector<std::string> variables(const SettingDefinition& definition) const;
  // The first of those that Meltano reads too.
  std::string written_variable(const SettingDefinition& definition) const;
  // The values in the variables in which a plugin gets them, in the order of the definitions. Null
  // is left out.
  struct Exported {
    std::string variable;
    std::string value;
    bool is_sensitive = false;
  };
  std::vector<Exported> exported(bool extras) const;

 private:
  // A value as a layer has it.
  struct Found {
    config::Node value;
    SettingSource source = SettingSource::kDefault;
    bool is_expandable = false;
    std::string variable = {};
  };

  std::vector<std::vector<std::string>> variable_groups(const SettingDefinition& definition) const;
  std::optional<Found> search(std::string_view name, const SettingDefinition* definition) const;
  std::optional<Found> search_files(std::string_view name,
                                    const SettingDefinition* definition) const;
  std::optional<Found> search_parent(std::string_view name) const;
  std::optional<Found> search_variables(const SettingDefinition& definition,
                                        const Variables& variables, SettingSource source) const;
  config::Node expand(const config::Node& value, std::string_view name) const;
  void assemble(const SettingDefinition& definition, Setting& setting) const;
  void add_custom_definitions();
  void add_custom(const std::vector<config::Node::Member>& flat);

  Layers layers_;
  std::vector<config::Node::Member> overrides_;
  std::vector<config::Node::Member> active_environment_;
  std::vector<config::Node::Member> project_file_;
  os::Environment variables_;
  std::vector<SettingDefinition> definitions_;
  std::vector<SettingDefinition> heritable_;  // custom ones that a child has too
};

}  // namespace tidemark::project
