#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "tidemark/destination/destination.h"

namespace tidemark::destination {

struct DuckDbOptions {
  std::filesystem::path path = {};     // of the database; absolute
  std::string memory_limit = {};       // "2GB"; empty = as much as a load turns out to need
  int threads = 0;                     // 0 = one a core
  std::string storage_version = {};    // of a new file, such as "v1.0.0"; empty = DuckDB's newest
  std::filesystem::path library = {};  // libduckdb.so; empty = found beside the program
};

// Error kInvalid when the path is not absolute. Nothing is opened yet.
std::unique_ptr<Destination> make_duckdb(DuckDbOptions options);

}  // namespace tidemark::destination
