#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tidemark/cli/commands.h"
#include "tidemark/cli/find_plugin.h"
#include "tidemark/cli/plugin_type.h"
#include "tidemark/cli/project_access.h"
#include "tidemark/os/files.h"
#include "tidemark/project/named_entries.h"

namespace tidemark::cli {
namespace {

using project::PluginType;
using project::Project;

// Says what was removed, and what was not there.
class Remover {
 public:
  Remover(const Console& console, const Project& project, PluginType type, const std::string& name)
      : console_(console),
        project_(project),
        types_(project::words_of(type).plural),
        label_(fmt::format("{} '{}'", project::words_of(type).singular, name)),
        name_(name) {}

  void remove() const {
    console_.note(fmt::format("Removing {}...", label_));
    say(remove_entry(), project_.files().front().filename().native());
    say(remove_folder(),
        fmt::format("{}/{}", project_.system_directory().filename().native(), types_));
    say(remove_locks(), fmt::format("plugins/{}", types_));
  }

 private:
  void say(bool is_removed, const std::string& place) const {
    if (is_removed) {
      console_.note(fmt::format("Removed {} from {}", label_, place));
    } else {
      console_.warning(fmt::format("Could not find {} in {} to remove", label_, place));
    }
  }

  bool remove_entry() const {
    project::ProjectWriter writer = open_writer(console_, project_);
    return project::NamedEntries(project_, writer, {"plugins", types_}).remove(name_);
  }

  bool remove_folder() const {
    const os::Path folder = project_.system_directory() / types_ / name_;
    if (!os::path_exists(folder)) return false;
    os::remove_tree(folder);
    return true;
  }

  // `NAME--VARIANT.lock` and `NAME.lock`; a plugin whose name merely begins like this keeps its
  // own.
  bool remove_locks() const {
    const os::Path folder = project_.root() / "plugins" / types_;
    bool is_removed = false;
    for (const std::string& file : os::list_directory(folder)) {
      const bool is_ours =
          file == name_ + ".lock" || (file.starts_with(name_ + "--") && file.ends_with(".lock"));
      if (is_ours) is_removed = os::remove_file(folder / file) || is_removed;
    }
    return is_removed;
  }

  const Console& console_;
  const Project& project_;
  std::string types_;
  std::string label_;
  std::string name_;
};

}  // namespace

ExitCode remove_plugins(const Console& console, const RemoveArguments& arguments) {
  for (const std::string& name : arguments.plugins) check_plugin_name(name);
  for (const std::string& name : arguments.plugins) {
    const Project project = open_project(console, project::EnvironmentUse::kNone);
    Remover(console, project, plugin_type_of(name, arguments.plugin_type), name).remove();
  }
  return kDone;
}

}  // namespace tidemark::cli
