#include "tidemark/db/duckdb_api.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/os/shared_library.h"

namespace tidemark::db {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> places(const fs::path& library) {
  if (!library.empty()) return {library};
  std::vector<fs::path> found;
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  if (!program.empty()) {
    found.push_back((program.parent_path() / "../lib/tidemark/libduckdb.so").lexically_normal());
  }
#ifdef TIDEMARK_DUCKDB_BUILD_LIBRARY
  found.emplace_back(TIDEMARK_DUCKDB_BUILD_LIBRARY);
#endif
  return found;
}

[[noreturn]] void throw_not_found(const std::vector<fs::path>& looked) {
  std::string list;
  for (const fs::path& place : looked) list += fmt::format("\n  {}", place.string());
  throw Error(
      ErrorCode::kNotFound,
      fmt::format("DuckDB's library was not found; looked for:{}\nset TIDEMARK_DUCKDB_LIBRARY to "
                  "the path of a libduckdb.so of version 2.0 or later",
                  list));
}

os::SharedLibrary open(const fs::path& file) try {
  return os::SharedLibrary(file);
} catch (const Error& error) {
  throw Error(ErrorCode::kInvalid, fmt::format("{}: not loadable as DuckDB's library: {}",
                                               file.string(), error.message()));
}

std::unique_ptr<DuckDbApi> load(const fs::path& file) {
  const os::SharedLibrary library = open(file);
  auto api = std::make_unique<DuckDbApi>();
#define X(name)                                                                                    \
  api->name = library.find<decltype(api->name)>("duckdb_" #name);                                  \
  if (api->name == nullptr) {                                                                      \
    throw Error(                                                                                   \
        ErrorCode::kUnsupported,                                                                   \
        fmt::format("{}: has no duckdb_" #name "; DuckDB 2.0 or later is needed", file.string())); \
  }
  TIDEMARK_DUCKDB_FUNCTIONS(X)
#undef X
  if (api->vector_size() % 64 != 0) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("{}: was built for vectors of {} rows; a multiple of 64 is needed",
                            file.string(), api->vector_size()));
  }
  api->instances = api->create_instance_cache();
  return api;
}

fs::path find(const fs::path& library) {
  const std::vector<fs::path> candidates = places(library);
  for (const fs::path& candidate : candidates) {
    std::error_code ignored;
    if (fs::exists(candidate, ignored)) return fs::canonical(candidate);
  }
  throw_not_found(candidates);
}

// As global as the library itself is to the process.
struct Loaded {
  std::mutex mutex;
  fs::path file;
  std::unique_ptr<const DuckDbApi> owner;
  std::atomic<const DuckDbApi*> api = nullptr;
};

Loaded& loaded() {
  static Loaded state;
  return state;
}

}  // namespace

const DuckDbApi& load_duckdb(const fs::path& library) {
  const fs::path file = find(library);
  Loaded& state = loaded();
  const std::lock_guard lock(state.mutex);
  if (state.owner == nullptr) {
    state.owner = load(file);
    state.file = file;
    state.api = state.owner.get();
  } else if (state.file != file) {
    throw Error(ErrorCode::kInvalid, fmt::format("{}: another DuckDB library is in use already: {}",
                                                 file.string(), state.file.string()));
  }
  return *state.owner;
}

const DuckDbApi& loaded_duckdb() noexcept { return *loaded().api.load(); }

}  // namespace tidemark::db
