#include "tidemark/os/scratch_files.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>

namespace tidemark::os {

void write_scratch_file(const Path& file, std::string_view bytes) {
  const FileDescriptor descriptor(
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!descriptor.is_open()) throw file_error(errno, "create", file);
  write_all(descriptor, bytes, file);
}

void make_scratch_directory(const Path& directory) {
  if (::mkdir(directory.c_str(), 0700) != 0) throw file_error(errno, "make", directory);
}

FileDescriptor open_to_read(const Path& file) {
  FileDescriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor.is_open()) throw file_error(errno, "open", file);
  return descriptor;
}

FileDescriptor open_to_append(const Path& file) {
  FileDescriptor descriptor(::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
  if (!descriptor.is_open()) throw file_error(errno, "open", file);
  return descriptor;
}

}  // namespace tidemark::os
