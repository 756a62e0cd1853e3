#pragma once

#include <string_view>

#include "tidemark/base/error.h"

namespace tidemark::db {

// What a failure of DuckDB means to us, from the text that it gives, such as "IO Error: Could not
// set lock on file ...".
Error duckdb_error(std::string_view message);
// Whether such an error, or one made of it, says that the memory limit was reached.
bool is_out_of_memory(const Error& error);

}  // namespace tidemark::db
