#include "tidemark/state/backend.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/ascii.h"
#include "tidemark/base/error.h"
#include "tidemark/blob/local.h"
#include "tidemark/blob/memory.h"
#include "tidemark/state/blob_state_store.h"
#include "tidemark/state/cloud_backend.h"
#include "tidemark/state/database_blob_store.h"
#include "tidemark/state/database_state_store.h"
#include "tidemark/state/system_database.h"

namespace tidemark::state {
namespace {

using namespace std::chrono_literals;

// Between what Meltano reads and what it writes, also on a machine with no time to spare.
constexpr auto kNearby = 300ms;
constexpr auto kFilePatience = 10s;

// The part between `://` and the next slash, and what follows it up to a query or fragment.
struct Url {
  std::string_view host;
  std::string_view path;
};

Url split_url(std::string_view uri) {
  const size_t start = uri.find("://");
  if (start == std::string_view::npos) return {};
  const std::string_view rest = uri.substr(start + 3, uri.find_first_of("?#") - start - 3);
  const size_t slash = std::min(rest.find('/'), rest.size());
  return {.host = rest.substr(0, slash), .path = rest.substr(slash)};
}

Backend of_objects(std::unique_ptr<blob::BlobStore> objects, BlobStateKind kind,
                   std::chrono::milliseconds settle_time, const Context& context) {
  Backend backend;
  backend.states = make_blob_state_store(*objects, kind, context);
  backend.objects = std::move(objects);
  backend.has_lock_objects = true;
  backend.settle_time = settle_time;
  return backend;
}

// The path as it stands, as Meltano takes it: not decoded, `//x` kept.
Backend open_file(const BackendOptions& options, const os::Environment&, const Context& context) {
  const Url url = split_url(options.uri.reveal());
  if (!url.host.empty() || url.path.empty()) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("state_backend.uri: file:// needs an absolute path, file:///{}{}",
                            url.host, url.path));
  }
  const blob::LocalEnvironment environment{.clock = context.clock,
                                           .random = context.random,
                                           .sleeper = context.sleeper,
                                           .cancellation = context.cancellation};
  return of_objects(blob::make_local_store(os::Path(url.path), environment, kFilePatience),
                    BlobStateKind::kFile, kNearby, context);
}

Backend open_memory(const BackendOptions&, const os::Environment&, const Context& context) {
  return of_objects(blob::make_memory_store(context.clock), BlobStateKind::kFile, kNearby, context);
}

Backend open_system_database(const BackendOptions& options, const os::Environment&,
                             const Context& context) {
  auto database = std::make_shared<SystemDatabase>(
      SystemDatabaseOptions{.uri = options.database_uri,
                            .directory = options.project_root,
                            .max_retries = options.database_max_retries,
                            .retry_interval = options.database_retry_timeout},
      context);
  Backend backend;
  auto states = std::make_unique<DatabaseStateStore>(*database, context.clock);
  if (states->can_save_exclusively()) backend.exclusive = states.get();
  backend.objects = std::make_unique<DatabaseBlobStore>(*database);
  backend.states = std::move(states);
  backend.has_lock_objects = true;
  backend.settle_time = kNearby;
  backend.base = std::move(database);
  return backend;
}

// What is built in. One more kind is one more line.
struct Kind {
  std::string_view scheme;
  Backend (*open)(const BackendOptions& options, const os::Environment& environment,
                  const Context& context);
};
constexpr std::array kKinds = {
    Kind{"systemdb", open_system_database},
    Kind{"azure", open_azure},
    Kind{"file", open_file},
    Kind{"gs", open_gcs},
    Kind{"memory", open_memory},
    Kind{"s3", open_s3},
};

Error unknown_scheme(std::string_view scheme) {
  std::string known;
  for (const Kind& kind : kKinds)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", kind.scheme);
  return {ErrorCode::kUnsupported,
          fmt::format("No state backend found for scheme '{}', available backends are: {}.", scheme,
                      known)};
}

}  // namespace

Backend open_backend(const BackendOptions& options, const os::Environment& environment,
                     const Context& context) {
  const std::string& uri = options.uri.reveal();
  const std::string scheme = ascii_lower(uri.substr(0, uri.find(':')));
  for (const Kind& kind : kKinds) {
    if (kind.scheme != scheme) continue;
    Backend backend = kind.open(options, environment, context);
    backend.lock_timeout = options.lock_timeout;
    backend.allow_unconditional = options.allow_unconditional;
    return backend;
  }
  throw unknown_scheme(scheme);
}

}  // namespace tidemark::state
