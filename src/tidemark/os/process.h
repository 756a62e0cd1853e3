#pragma once

#include <cstdint>
#include <string>

#include "tidemark/os/environment.h"
#include "tidemark/os/files.h"

namespace tidemark::os {

int64_t process_id();
std::string host_name();
// The effective user's name, else its number as text.
std::string user_name();
bool is_superuser();
// Of this program, links resolved.
Path executable_path();
Path current_directory();
// $HOME, else what the user database says; empty when neither knows one.
Path home_directory(const Environment& environment);
// $TMPDIR, else /tmp.
Path temp_directory(const Environment& environment);
bool is_writable_directory(const Path& directory);

enum class StandardStream { kIn = 0, kOut = 1, kError = 2 };
bool is_terminal(StandardStream stream);

}  // namespace tidemark::os
