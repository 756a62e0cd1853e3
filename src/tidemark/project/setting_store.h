#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidemark/json/value.h"
#include "tidemark/project/layered_settings.h"
#include "tidemark/project/plugin.h"
#include "tidemark/project/project.h"
#include "tidemark/project/project_writer.h"
#include "tidemark/project/setting_place.h"

namespace tidemark::project {

// Where `config set` and its like write.
enum class SettingStore {
  kAuto,         // .env for what is sensitive or depends on the environment, else a project file
  kDotenv,       // .env
  kProjectFile,  // the active environment in a project file where one was asked for, else the file
};

// Meltano's word for a store: `auto`, `dotenv`, `meltano_yml` (also `meltano_environment`). Error
// kUnsupported for `db`, which holds pickles; kInvalid for any other word.
SettingStore read_setting_store(std::string_view word);

// The settings of one plugin, or Meltano's own, in the files that hold them. What the functions
// return is what they wrote to, for messages: "`.env`", "the active environment in `meltano.yml`".
class SettingWriter {
 public:
  // plugin is nullptr for Meltano's own. All must outlive it.
  SettingWriter(const Project& project, const Plugin* plugin, const LayeredSettings& settings,
                ProjectWriter& writer);

  // name is that of a setting, an alias or an extra (`_select`), or is not defined; `a.b` are maps
  // in maps, `a\.b` is one key. Other names of the setting are removed from the place written to.
  // Error kUnsupported for what is not defined in .env, and what config::set_in_yaml() and
  // set_in_dotenv() throw.
  std::string set(const std::string& name, const json::Value& value, SettingStore store);
  // Adds an item to the end of a list that is a setting, in a project file: in the entry of the
  // active environment where one was asked for. What the plugin has from elsewhere (the file's own
  // entry, a parent, the default) is not copied there: the list begins anew.
  void append(const std::string& name, const json::Value& item);
  // Takes the first equal item off that list, of which the last one leaves `[]`. False when it is
  // not there.
  bool remove_item(const std::string& name, const json::Value& item);
  // Removes the setting under all its names; kAuto from every store. Empty when it was in none.
  std::vector<std::string> unset(const std::string& name, SettingStore store);
  // Removes all settings and extras; kAuto from every store. Variables of others stay, and the
  // project's ID.
  std::vector<std::string> reset(SettingStore store);

 private:
  std::string set_in_dotenv(const std::string& name, const json::Value& value);
  std::string set_in_files(const std::string& name, const json::Value& value);
  const os::Path& file_for(const std::string& name, const SettingOwner& owner) const;
  bool remove_from_dotenv(const std::vector<std::string>& variables);
  bool remove_from_files(const std::vector<std::string>& names, bool in_environment);
  std::vector<std::string> remove(const std::vector<std::string>& names,
                                  const std::vector<std::string>& variables, SettingStore store);
  std::vector<std::string> names_of(const std::string& name) const;
  std::vector<std::string> variables_of(const std::string& name) const;
  std::string relative(const os::Path& file) const;
  std::string environment() const;

  const Project& project_;
  const Plugin* plugin_;
  const LayeredSettings& settings_;
  ProjectWriter& writer_;
};

}  // namespace tidemark::project
