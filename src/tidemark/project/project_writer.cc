#include "tidemark/project/project_writer.h"

#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "tidemark/base/error.h"

namespace tidemark::project {
namespace {

constexpr std::chrono::seconds kPatience{30};

void refuse_when_read_only(const Project& project) {
  const Setting setting = project.settings().find("project_readonly");
  if (setting.value.kind() != config::Kind::kBool || !setting.value.boolean()) return;
  throw Error(ErrorCode::kUnsupported,
              fmt::format("this project is deployed as read-only: project_readonly at {}",
                          to_string(setting.written.position())));
}

}  // namespace

ProjectWriter::ProjectWriter(const Project& project, Random& random, Sleeper& sleeper,
                             const Cancellation& cancellation)
    : random_(random) {
  refuse_when_read_only(project);
  const os::Path directory = project.system_directory() / "run";
  os::make_directories(directory);
  lock_ = os::RecordLock::acquire(directory / "meltano.yml.lock", kPatience, sleeper, cancellation);
}

bool ProjectWriter::change(const os::Path& file,
                           const std::function<std::string(const std::string&)>& change) {
  const std::optional<std::string> old = os::read_file_if_exists(file);
  const std::string text = change(old.value_or(""));
  if (text == old.value_or("")) return false;
  if (!old) os::write_new_private_file(file, "");
  const os::Path target = os::resolve_links(file);
  os::replace_file(target, text, target.parent_path(), random_);
  return true;
}

}  // namespace tidemark::project
