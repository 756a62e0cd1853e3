#include "tidemark/os/files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <functional>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tidemark/os/file_descriptor.h"

namespace tidemark::os {
namespace {

ErrorCode code_of(int error_number) {
  switch (error_number) {
    case ENOENT:
      return ErrorCode::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
      return ErrorCode::kUnauthorized;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EIO:
    case ESTALE:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOLCK:
      return ErrorCode::kUnavailable;
    case EEXIST:
    case ENOTEMPTY:
      return ErrorCode::kConflict;
    case ENOTDIR:
    case EISDIR:
    case EINVAL:
    case ELOOP:
    case ENAMETOOLONG:
    case EXDEV:
      return ErrorCode::kInvalid;
    default:
      return ErrorCode::kInternal;
  }
}

// Removes a half-written temporary file when its writer fails.
class TemporaryFile {
 public:
  explicit TemporaryFile(Path path) : path_(std::move(path)) {}
  ~TemporaryFile() {
    if (is_ours_) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const Path& path() const { return path_; }
  void written() { is_ours_ = true; }
  void moved_away() { is_ours_ = false; }

 private:
  Path path_;
  bool is_ours_ = false;
};

// A network file system says ESTALE of a file that another host has just replaced; asked for by its
// name again, it gives the new one.
constexpr int kStaleTries = 5;

FileDescriptor open_file(const Path& path, int flags, mode_t mode = 0666) {
  int number = -1;
  int tries = 0;
  do {
    number = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (number < 0 && (errno == EINTR || (errno == ESTALE && ++tries < kStaleTries)));
  return FileDescriptor(number);
}

// What lstat() or stat() says. Nothing when there is no such file.
template <typename Call>
std::optional<struct stat> look_at(const Call& call, const Path& path) {
  struct stat status{};
  int tries = 0;
  while (call(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    if (errno != ESTALE || ++tries == kStaleTries) throw file_error(errno, "look at", path);
  }
  return status;
}

// 0, or why not all of it was read.
int read_all(const FileDescriptor& descriptor, std::string& bytes) {
  struct stat status{};
  if (::fstat(descriptor.get(), &status) == 0 && status.st_size > 0) {
    bytes.reserve(static_cast<size_t>(status.st_size));
  }
  std::array<char, 65'536> buffer;
  while (true) {
    const ssize_t count = ::read(descriptor.get(), buffer.data(), buffer.size());
    if (count == 0) return 0;
    if (count > 0) {
      bytes.append(buffer.data(), static_cast<size_t>(count));
    } else if (errno != EINTR) {
      return errno;
    }
  }
}

// errno of the open when there is nothing to read.
std::optional<std::string> read_by_name(const Path& file) {
  for (int tries = 1;; ++tries) {
    const FileDescriptor descriptor = open_file(file, O_RDONLY);
    if (!descriptor.is_open()) return std::nullopt;
    std::string bytes;
    const int fault = read_all(descriptor, bytes);
    if (fault == 0) return bytes;
    if (fault != ESTALE || tries == kStaleTries) throw file_error(fault, "read", file);
  }
}

FileDescriptor open_new_file(const Path& file, mode_t mode = 0666) {
  FileDescriptor descriptor = open_file(file, O_WRONLY | O_CREAT | O_EXCL, mode);
  if (!descriptor.is_open()) throw file_error(errno, "create", file);
  return descriptor;
}

void write_and_sync(const FileDescriptor& descriptor, std::string_view bytes, const Path& file) {
  write_all(descriptor, bytes, file);
  if (::fsync(descriptor.get()) != 0) throw file_error(errno, "sync", file);
}

Path parent_of(const Path& path) {
  // `a/b/` names the same entry as `a/b`.
  const Path entry = path.has_filename() ? path : path.parent_path();
  const Path parent = entry.parent_path();
  return parent.empty() ? Path(".") : parent;
}

PathKind kind_of(const struct stat& status) {
  if (S_ISREG(status.st_mode)) return PathKind::kFile;
  return S_ISDIR(status.st_mode) ? PathKind::kDirectory : PathKind::kOther;
}

void rename_entry(const Path& from, const Path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    throw file_error(errno, fmt::format("move {} to", from.native()), to);
  }
}

bool has_no_links(int error_number) {
  return error_number == EPERM || error_number == EOPNOTSUPP || error_number == ENOSYS;
}

// Where there are no hard links (vfat, SMB). False when the name is taken.
bool rename_to_free_name(TemporaryFile& temporary, const Path& file) {
  if (::renameat2(AT_FDCWD, temporary.path().c_str(), AT_FDCWD, file.c_str(), RENAME_NOREPLACE) ==
      0) {
    temporary.moved_away();
    return true;
  }
  if (errno == EEXIST) return false;
  if (errno == EINVAL || has_no_links(errno)) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("cannot create {}: its file system has neither hard links nor renames "
                            "that spare an existing file, so nothing keeps two writers apart",
                            file.native()));
  }
  throw file_error(errno, "create", file);
}

void for_each_entry(const Path& directory,
                    const std::function<void(const std::filesystem::directory_entry&)>& visit) {
  std::error_code fault;
  std::filesystem::directory_iterator entry(directory, fault);
  for (; !fault && entry != std::filesystem::directory_iterator(); entry.increment(fault)) {
    visit(*entry);
  }
  if (fault && fault != std::errc::no_such_file_or_directory) {
    throw file_error(fault.value(), "list", directory);
  }
}

}  // namespace

Error file_error(int error_number, std::string_view operation, const Path& path) {
  return Error(code_of(error_number), fmt::format("cannot {} {}: {}", operation, path.native(),
                                                  std::generic_category().message(error_number)));
}

void write_all(const FileDescriptor& descriptor, std::string_view bytes, const Path& file) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor.get(), bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
    } else if (errno != EINTR) {
      throw file_error(errno, "write", file);
    }
  }
}

std::string read_file(const Path& file) {
  std::optional<std::string> bytes = read_by_name(file);
  if (!bytes) throw file_error(errno, "read", file);
  return *std::move(bytes);
}

std::optional<std::string> read_file_if_exists(const Path& file) {
  std::optional<std::string> bytes = read_by_name(file);
  if (!bytes && errno != ENOENT && errno != ENOTDIR) throw file_error(errno, "read", file);
  return bytes;
}

PathKind entry_kind(const Path& path) {
  const auto status = look_at(::lstat, path);
  return status ? kind_of(*status) : PathKind::kMissing;
}

bool path_exists(const Path& path) { return path_kind(path) != PathKind::kMissing; }

PathKind path_kind(const Path& path) {
  const auto status = look_at(::stat, path);
  return status ? kind_of(*status) : PathKind::kMissing;
}

Path resolve_links(const Path& path) {
  std::error_code fault;
  Path resolved = std::filesystem::canonical(path, fault);
  if (fault) throw file_error(fault.value(), "find", path);
  return resolved;
}

void replace_file(const Path& file, std::string_view bytes, const Path& temp_directory,
                  Random& random) {
  TemporaryFile temporary(temp_directory / random_hex(random, 8));
  const FileDescriptor descriptor = open_new_file(temporary.path());
  temporary.written();
  struct stat status{};
  if (::stat(file.c_str(), &status) == 0) ::fchmod(descriptor.get(), status.st_mode & 07777);
  write_and_sync(descriptor, bytes, file);
  rename_entry(temporary.path(), file);
  temporary.moved_away();
  sync_directory(parent_of(file));
}

bool create_file(const Path& file, std::string_view bytes, const Path& temp_directory,
                 Random& random) {
  TemporaryFile temporary(temp_directory / random_hex(random, 8));
  const FileDescriptor descriptor = open_new_file(temporary.path());
  temporary.written();
  write_and_sync(descriptor, bytes, file);
  if (::link(temporary.path().c_str(), file.c_str()) != 0) {
    const int error_number = errno;
    // A network file system may send the call twice, and the second says that the name is taken.
    struct stat status{};
    const bool is_ours =
        error_number == EEXIST && ::fstat(descriptor.get(), &status) == 0 && status.st_nlink == 2;
    if (has_no_links(error_number)) {
      if (!rename_to_free_name(temporary, file)) return false;
    } else if (!is_ours) {
      if (error_number != EEXIST) throw file_error(error_number, "create", file);
      return false;
    }
  }
  sync_directory(parent_of(file));
  return true;
}

void write_new_file(const Path& file, std::string_view bytes) {
  const FileDescriptor descriptor = open_new_file(file);
  write_and_sync(descriptor, bytes, file);
}

void write_new_private_file(const Path& file, std::string_view bytes) {
  const FileDescriptor descriptor = open_new_file(file, 0600);
  write_and_sync(descriptor, bytes, file);
}

bool remove_file(const Path& file) {
  if (::unlink(file.c_str()) == 0) return true;
  if (errno == ENOENT) return false;
  throw file_error(errno, "remove", file);
}

void make_directories(const Path& directory) {
  if (::mkdir(directory.c_str(), 0777) == 0) {
    sync_directory(parent_of(directory));
    return;
  }
  if (errno == ENOENT && parent_of(directory) != directory) {
    make_directories(parent_of(directory));
    make_directories(directory);
    return;
  }
  const int error_number = errno;
  if (error_number == EEXIST && path_kind(directory) == PathKind::kDirectory) return;
  throw file_error(error_number, "create directory", directory);
}

void sync_directory(const Path& directory) {
  const FileDescriptor descriptor = open_file(directory, O_RDONLY | O_DIRECTORY);
  if (!descriptor.is_open()) throw file_error(errno, "open directory", directory);
  // Some network file systems cannot sync a directory and say so with EINVAL; their rename is
  // durable.
  if (::fsync(descriptor.get()) != 0 && errno != EINVAL) {
    throw file_error(errno, "sync directory", directory);
  }
}

void move_file(const Path& from, const Path& to) { rename_entry(from, to); }

void rename_directory(const Path& from, const Path& to) {
  rename_entry(from, to);
  sync_directory(parent_of(to));
  if (parent_of(from) != parent_of(to)) sync_directory(parent_of(from));
}

void remove_tree(const Path& path) {
  std::error_code fault;
  std::filesystem::remove_all(path, fault);
  if (fault) throw file_error(fault.value(), "remove", path);
}

bool remove_empty_directory(const Path& directory) {
  if (::rmdir(directory.c_str()) == 0) return true;
  if (errno == ENOENT || errno == ENOTEMPTY || errno == EEXIST) return false;
  throw file_error(errno, "remove", directory);
}

std::vector<std::string> list_directory(const Path& directory) {
  std::vector<std::string> names;
  for_each_entry(directory, [&](const std::filesystem::directory_entry& entry) {
    names.push_back(entry.path().filename().native());
  });
  std::ranges::sort(names);
  return names;
}

std::vector<Entry> list_entries(const Path& directory) {
  std::vector<Entry> entries;
  for_each_entry(directory, [&](const std::filesystem::directory_entry& entry) {
    std::error_code fault;
    PathKind kind = PathKind::kOther;
    if (!entry.is_symlink(fault)) {
      if (entry.is_directory(fault)) {
        kind = PathKind::kDirectory;
      } else if (entry.is_regular_file(fault)) {
        kind = PathKind::kFile;
      }
    }
    entries.push_back({entry.path().filename().native(), kind});
  });
  return entries;
}

Time modification_time(const Path& file) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0) throw file_error(errno, "look at", file);
  return Time(std::chrono::seconds(status.st_mtim.tv_sec) +
              std::chrono::microseconds(status.st_mtim.tv_nsec / 1'000));
}

}  // namespace tidemark::os
