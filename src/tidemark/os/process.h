#pragma once

#include <cstdint>
#include <string>

#include "tidemark/os/environment.h"
#include "tidemark/os/files.h"

namespace tidemark::os {

int64_t process_id();
std::string host_name();
bool is_superuser();
Path current_directory();
// $HOME, else what the user database says; empty when neither knows one.
Path home_directory(const Environment& environment);
// $TMPDIR, else /tmp.
Path temp_directory(const Environment& environment);
bool is_writable_directory(const Path& directory);

}  // namespace tidemark::os
