#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/config/yaml_edit.h"
#include "tidemark/json/value.h"
#include "tidemark/project/project.h"
#include "tidemark/project/project_writer.h"

namespace tidemark::project {

// A list of entries with names in a project's files: `jobs`, `schedules`, `plugins.extractors`.
// Each change is made in the file that has the entry, a new one in the project file. Throws what
// config's edits of YAML and ProjectWriter throw.
class NamedEntries {
 public:
  // All are borrowed. The project is the one that was read, not what is written.
  NamedEntries(const Project& project, ProjectWriter& writer, config::YamlPath list);

  // Entry has a `name` that no other has.
  void add(const json::Object& entry);
  // Puts members into the entry of that name, or in the place of what is under their keys, and
  // takes the keys in `gone` away. False when there is none of that name.
  bool set(std::string_view name, const json::Object& members,
           const std::vector<std::string>& gone);
  // The list goes with its last entry, and the map that it is in with its last list. False when
  // there is none of that name.
  bool remove(std::string_view name);

 private:
  const Project& project_;
  ProjectWriter& writer_;
  config::YamlPath list_;
};

// The entry of that name in a list at the top; nothing when there is none.
std::optional<config::Node> find_entry(const Project& project, std::string_view list,
                                       std::string_view name);

}  // namespace tidemark::project
