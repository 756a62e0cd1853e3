#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tidemark/json/value.h"
#include "tidemark/project/project.h"
#include "tidemark/project/project_writer.h"

namespace tidemark::project {

// A list of entries with names at the top of a project's files: `jobs`, `schedules`. Each change is
// made in the file that has the entry, a new one in the project file. Throws what config's edits of
// YAML and ProjectWriter throw.
class NamedEntries {
 public:
  // All are borrowed. The project is the one that was read, not what is written.
  NamedEntries(const Project& project, ProjectWriter& writer, std::string_view list);

  // Entry has a `name` that no other has.
  void add(const json::Object& entry);
  // Puts a value under a key of the entry of that name. False when there is none.
  bool set(std::string_view name, std::string_view key, const json::Value& value);
  // The list goes with its last entry. False when there is none of that name.
  bool remove(std::string_view name);

 private:
  const Project& project_;
  ProjectWriter& writer_;
  std::string list_;
};

// The entry of that name; nothing when there is none.
std::optional<config::Node> find_entry(const Project& project, std::string_view list,
                                       std::string_view name);

}  // namespace tidemark::project
