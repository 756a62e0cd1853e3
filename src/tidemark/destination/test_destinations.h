#pragma once

// For tests: every destination that the conformance suite runs on. Another one is one entry more.

#include <filesystem>
#include <memory>

#include "tidemark/destination/duckdb.h"

namespace tidemark::destination {

struct Candidate {
  const char* name;
  std::unique_ptr<Destination> (*make)(const std::filesystem::path& folder);
};

inline const Candidate kDestinations[] = {
    {"duckdb",
     [](const std::filesystem::path& folder) {
       return make_duckdb({.path = folder / "database.duckdb"});
     }},
};

}  // namespace tidemark::destination
