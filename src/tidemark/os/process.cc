#include "tidemark/os/process.h"

#include <array>
#include <cerrno>
#include <climits>
#include <vector>

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tidemark::os {
namespace {

std::optional<Path> home_of_user() {
  std::vector<char> buffer(16'384);
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) != 0 ||
      found == nullptr) {
    return std::nullopt;
  }
  return Path(found->pw_dir);
}

}  // namespace

int64_t process_id() { return ::getpid(); }

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

bool is_superuser() { return ::geteuid() == 0; }

Path current_directory() {
  std::error_code fault;
  const Path path = std::filesystem::current_path(fault);
  if (fault) throw file_error(fault.value(), "find", "the current directory");
  return path;
}

Path home_directory(const Environment& environment) {
  if (const std::string* home = environment.find_not_empty("HOME")) return *home;
  return home_of_user().value_or(Path());
}

Path temp_directory(const Environment& environment) {
  const std::string* directory = environment.find_not_empty("TMPDIR");
  return directory == nullptr ? Path("/tmp") : Path(*directory);
}

bool is_writable_directory(const Path& directory) {
  struct stat status{};
  return ::stat(directory.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         ::access(directory.c_str(), W_OK | X_OK) == 0;
}

}  // namespace tidemark::os
