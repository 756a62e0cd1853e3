#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tidemark/json/value.h"

namespace tidemark::cli {

// What destination::make_destination takes.
struct DestinationChoice {
  std::string type;
  json::Object options;
};

// DEST of the command line: a bare path (out.duckdb) or a URL as SQLAlchemy and dlt spell it
// (duckdb:///relative.duckdb, duckdb:////absolute.duckdb). Relative paths are against directory.
// Error kInvalid for a path whose suffix no destination has.
DestinationChoice parse_destination(std::string_view text, const std::filesystem::path& directory);

}  // namespace tidemark::cli
