#include "tidemark/os/directories.h"

#include "tidemark/os/process.h"

namespace tidemark::os {
namespace {

Path variable_or(const Environment& environment, std::string_view name, const Path& otherwise) {
  const std::string* value = environment.find_not_empty(name);
  return value == nullptr ? otherwise : Path(*value);
}

Path global_directory(const Environment& environment, const Surroundings& surroundings) {
  if (surroundings.is_superuser) return "/var/dlt";
  if (!surroundings.is_home_writable) return surroundings.temp_directory / "dlt";
  const Path in_home = surroundings.home_directory / ".dlt";
  const std::string* data_home = environment.find_not_empty("XDG_DATA_HOME");
  if (data_home != nullptr && !path_exists(in_home)) return Path(*data_home) / "dlt";
  return in_home;
}

}  // namespace

Surroundings Surroundings::of_process(const Environment& environment) {
  const Path home = os::home_directory(environment);
  return {.current_directory = os::current_directory(),
          .home_directory = home,
          .temp_directory = os::temp_directory(environment),
          .is_superuser = os::is_superuser(),
          .is_home_writable = is_writable_directory(home)};
}

DltDirectories dlt_directories(const Environment& environment, const Surroundings& surroundings) {
  DltDirectories directories;
  directories.run = variable_or(environment, "DLT_PROJECT_DIR", surroundings.current_directory);
  directories.settings = directories.run / variable_or(environment, "DLT_CONFIG_FOLDER", ".dlt");
  directories.local = variable_or(environment, "DLT_LOCAL_DIR", surroundings.current_directory);
  directories.global = global_directory(environment, surroundings);
  directories.data = variable_or(environment, "DLT_DATA_DIR", directories.global);
  directories.pipelines = directories.data / "pipelines";
  return directories;
}

}  // namespace tidemark::os
