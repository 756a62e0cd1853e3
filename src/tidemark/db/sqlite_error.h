#pragma once

#include <string_view>

#include "tidemark/base/error.h"

namespace tidemark::db {

// What a failure of SQLite means to us: its extended result code, its message, and the errno of the
// system call behind it, 0 when there was none.
Error sqlite_error(int extended_code, std::string_view message, int system_error);

}  // namespace tidemark::db
