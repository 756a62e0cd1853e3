#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/clock.h"
#include "tidemark/base/error.h"
#include "tidemark/base/random.h"

namespace tidemark::os {

using Path = std::filesystem::path;

// What a failed system call means: `cannot OPERATION PATH: reason`. kNotFound; kUnauthorized for
// missing rights and read-only file systems; kUnavailable for a full disk, a failing one, and
// used-up handles or memory; kConflict when it is there already; kInvalid for a path that cannot
// be; else kInternal.
Error file_error(int error_number, std::string_view operation, const Path& path);

// Every function below throws file_error().

class FileDescriptor;
// file is the name that the error uses.
void write_all(const FileDescriptor& descriptor, std::string_view bytes, const Path& file);

std::string read_file(const Path& file);
// Nothing when there is no such file.
std::optional<std::string> read_file_if_exists(const Path& file);
bool path_exists(const Path& path);
// Links are followed.
enum class PathKind { kMissing, kFile, kDirectory, kOther };
PathKind path_kind(const Path& path);
// Links are not followed: they are kOther.
PathKind entry_kind(const Path& path);
// Absolute, without links, `.` and `..`. The path exists.
Path resolve_links(const Path& path);

// Puts bytes in the place of the file, or makes it. Whoever reads sees the old or the new bytes,
// never a part; when it returns they are on the disk, name included. The temporary file (16 hex
// digits) is made in temp_directory, which is on the same file system; a crash may leave it there.
// A file that is replaced keeps its permissions.
void replace_file(const Path& file, std::string_view bytes, const Path& temp_directory,
                  Random& random);
// The same for a name that is not taken: false, and nothing changed, when it is. Whoever reads sees
// no file or all of it. Error kUnsupported on a file system that can do that neither by a hard link
// nor by a rename.
bool create_file(const Path& file, std::string_view bytes, const Path& temp_directory,
                 Random& random);
// Writes a new file and syncs it. Its name is not durable before sync_directory(). kConflict when
// the file is there.
void write_new_file(const Path& file, std::string_view bytes);
// The same for what only its owner may read and write.
void write_new_private_file(const Path& file, std::string_view bytes);
// Whether there was one.
bool remove_file(const Path& file);

// With all missing parents; their names are durable when it returns.
void make_directories(const Path& directory);
// Makes the names in the directory durable.
void sync_directory(const Path& directory);
// One rename over whatever is at `to`. Neither name is durable before sync_directory() of both
// directories.
void move_file(const Path& from, const Path& to);
// One rename; durable when it returns. kConflict when `to` is a directory that is not empty.
void rename_directory(const Path& from, const Path& to);
// Removes everything below and the directory or file itself; links are not followed. Missing is
// fine.
void remove_tree(const Path& path);
// Whether it was there and empty.
bool remove_empty_directory(const Path& directory);
// The names in the directory in byte order; none when there is no such directory.
std::vector<std::string> list_directory(const Path& directory);
struct Entry {
  std::string name;
  PathKind kind = PathKind::kMissing;  // as entry_kind()
};
// The same with what each name is, in any order; costs no call an entry.
std::vector<Entry> list_entries(const Path& directory);

// When the file was last written, by the clock of its file system.
Time modification_time(const Path& file);

}  // namespace tidemark::os
