#include "tidemark/destination/registry.h"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tidemark/base/error.h"
#include "tidemark/destination/duckdb.h"

namespace tidemark::destination {
namespace {

std::unique_ptr<Destination> duckdb_from(const json::Object& options) {
  DuckDbOptions made;
  for (const auto& [name, value] : options) {
    if (name == "path") {
      made.path = value.as_string();
    } else if (name == "memory_limit") {
      made.memory_limit = value.as_string();
    } else if (name == "threads") {
      made.threads = static_cast<int>(value.as_int64());
    } else if (name == "storage_version") {
      made.storage_version = value.as_string();
    } else if (name == "library") {
      made.library = value.as_string();
    } else {
      throw Error(
          ErrorCode::kInvalid,
          fmt::format("destination duckdb has no option {}; it has path, memory_limit, threads, "
                      "storage_version and library",
                      name));
    }
  }
  return make_duckdb(std::move(made));
}

struct Type {
  std::string_view name;
  std::unique_ptr<Destination> (*make)(const json::Object& options);
};

// Every destination there is.
constexpr std::array kTypes = {
    Type{"duckdb", duckdb_from},
};

}  // namespace

std::unique_ptr<Destination> make_destination(std::string_view type, const json::Object& options) {
  const std::string_view name = short_type(type);
  for (const Type& known : kTypes) {
    if (known.name == name) return known.make(options);
  }
  throw Error(ErrorCode::kUnsupported, fmt::format("there is no destination {}; there are: {}",
                                                   type, fmt::join(destination_types(), ", ")));
}

std::string_view short_type(std::string_view type) {
  constexpr std::string_view kDltPrefix = "dlt.destinations.";
  if (type.starts_with(kDltPrefix)) type.remove_prefix(kDltPrefix.size());
  return type;
}

std::vector<std::string_view> destination_types() {
  std::vector<std::string_view> names;
  for (const Type& type : kTypes) names.push_back(type.name);
  return names;
}

}  // namespace tidemark::destination
