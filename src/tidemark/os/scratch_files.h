#pragma once

#include <string_view>

#include "tidemark/os/file_descriptor.h"
#include "tidemark/os/files.h"

namespace tidemark::os {

// Files that a process hands to those it starts: only their owner may read them, and nobody waits
// for the disk. Each throws file_error(), kConflict for what is there already.
void write_scratch_file(const Path& file, std::string_view bytes);
void make_scratch_directory(const Path& directory);

FileDescriptor open_to_read(const Path& file);
// To write behind what a file has, whoever else does so; the file is made where there is none.
FileDescriptor open_to_append(const Path& file);

}  // namespace tidemark::os
