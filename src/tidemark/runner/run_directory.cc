#include "tidemark/runner/run_directory.h"

#include <chrono>
#include <utility>
#include <variant>

#include "tidemark/base/error.h"
#include "tidemark/base/uuid.h"
#include "tidemark/os/scratch_files.h"

namespace tidemark::runner {
namespace {

constexpr std::string_view kLockName = ".lock";

// A folder is there a moment before it is locked.
constexpr std::chrono::minutes kYoung{1};

std::unique_ptr<os::LockFile> try_lock(const os::Path& directory) {
  auto result = os::LockFile::try_acquire(directory / kLockName, {});
  auto* lock = std::get_if<std::unique_ptr<os::LockFile>>(&result);
  return lock != nullptr ? std::move(*lock) : nullptr;
}

void remove_if_left(const os::Path& directory, Time now) {
  try {
    if (now - os::modification_time(directory) < kYoung) return;
    const std::unique_ptr<os::LockFile> lock = try_lock(directory);
    if (lock) os::remove_tree(directory);
  } catch (const Error&) {
    // Another run removes it too, or it is not ours: no reason not to run.
  }
}

}  // namespace

std::unique_ptr<RunDirectory> RunDirectory::make(const os::Path& system_directory, Clock& clock,
                                                 Random& random) {
  const os::Path parent = system_directory / "run" / "tidemark";
  os::make_directories(parent);
  for (const std::string& left : os::list_directory(parent)) {
    remove_if_left(parent / left, clock.now());
  }
  const os::Path path = parent / make_uuid7(clock.now(), random);
  os::make_scratch_directory(path);
  return std::unique_ptr<RunDirectory>(new RunDirectory(path));
}

RunDirectory::RunDirectory(os::Path path) : path_(std::move(path)), lock_(try_lock(path_)) {}

RunDirectory::~RunDirectory() {
  try {
    os::remove_tree(path_);
  } catch (const Error&) {
    // It is not locked any more, so the next run tries again.
  }
}

os::Path RunDirectory::make_folder(std::string_view name) const {
  os::Path folder = path_ / name;
  os::make_scratch_directory(folder);
  return folder;
}

}  // namespace tidemark::runner
