#pragma once

#include <string_view>

#include "tidemark/base/error.h"

namespace tidemark::db {

// What a failure of DuckDB means to us, from the text that it gives, such as "IO Error: Could not
// set lock on file ...".
Error duckdb_error(std::string_view message);

}  // namespace tidemark::db
