#include "tidemark/state/cloud_backend.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/base/hash.h"
#include "tidemark/blob/azure_store.h"
#include "tidemark/blob/gcs_store.h"
#include "tidemark/blob/s3_service.h"
#include "tidemark/blob/s3_store.h"
#include "tidemark/net/http.h"
#include "tidemark/net/retry.h"
#include "tidemark/state/blob_state_store.h"

namespace tidemark::state {
namespace {

using namespace std::chrono_literals;

// A renewal of a lease must fail in time to be tried again, also where its answer drips.
constexpr auto kRequestLimit = 5s;
constexpr int64_t kLeastSpeed = 1'000;
// For a request of Meltano's that is under way when ours is done.
constexpr auto kSettleTime = 1s;

// The clients of one backend.
class CloudClients {
 public:
  explicit CloudClients(const Context& context)
      : http_(net::make_http_client({.connect_timeout = kRequestLimit,
                                     .idle_timeout = kRequestLimit,
                                     .least_bytes_per_second = kLeastSpeed})),
        metadata_http_(net::make_http_client(
            {.connect_timeout = 1s, .idle_timeout = 2s, .total_timeout = kRequestLimit})),
        retrying_({.inner = *http_, .clock = context.clock, .sleeper = context.sleeper},
                  {.attempts = 3, .max_wait = kRequestLimit}, {}, {}) {}

  blob::CloudEnvironment environment(const os::Environment& variables, const Context& context) {
    return {.http = retrying_,
            .metadata_http = *metadata_http_,
            .clock = context.clock,
            .variables = variables,
            .cancellation = context.cancellation};
  }

 private:
  std::unique_ptr<net::HttpClient> http_;
  std::unique_ptr<net::HttpClient> metadata_http_;
  net::RetryingHttpClient retrying_;
};

Backend of_bucket(std::unique_ptr<blob::BlobStore> objects, BlobStateKind kind,
                  std::shared_ptr<CloudClients> clients, const Context& context) {
  Backend backend;
  backend.base = std::move(clients);
  backend.states = make_blob_state_store(*objects, kind, context);
  backend.objects = std::move(objects);
  backend.has_lock_objects = true;
  backend.settle_time = kSettleTime;
  return backend;
}

const Secret& first_set(const Secret& setting, const Secret& otherwise) {
  return setting.empty() ? otherwise : setting;
}

Error no_bucket(std::string_view scheme) {
  return {
      ErrorCode::kInvalid,
      fmt::format("state_backend.uri names no bucket; it must be {}://<bucket>/<prefix>", scheme)};
}

}  // namespace

BucketUrl parse_bucket_url(const Secret& uri) {
  std::string_view rest = uri.reveal();
  const size_t scheme = rest.find("://");
  if (scheme == std::string_view::npos) return {};
  rest.remove_prefix(scheme + 3);
  const size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view host = rest.substr(0, slash);
  std::string_view prefix = rest.substr(slash);
  while (prefix.starts_with('/')) prefix.remove_prefix(1);
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  BucketUrl url{.bucket = {}, .prefix = std::string(prefix), .key_id = {}, .secret = {}};
  if (const size_t at = host.rfind('@'); at != std::string_view::npos) {
    const std::string_view user = host.substr(0, at);
    const size_t colon = std::min(user.find(':'), user.size());
    url.key_id = Secret(std::string(user.substr(0, colon)));
    url.secret = Secret(std::string(user.substr(std::min(colon + 1, user.size()))));
    host.remove_prefix(at + 1);
  }
  // No bucket has such a name. It is part of a key, and must not come to stand in messages as one.
  if (host.find(':') != std::string_view::npos) {
    throw Error(
        ErrorCode::kInvalid,
        "state_backend.uri: what stands in front of the first slash is no name of a bucket; "
        "a secret key that holds a slash belongs into "
        "state_backend.s3.aws_secret_access_key");
  }
  url.bucket = host;
  return url;
}

// Servers that speak S3 differ in whether they heed conditions.
Backend open_s3(const BackendOptions& options, const os::Environment& environment,
                const Context& context) {
  const BucketUrl url = parse_bucket_url(options.uri);
  if (url.bucket.empty()) throw no_bucket("s3");
  auto clients = std::make_shared<CloudClients>(context);
  const blob::S3Options s3{
      .bucket = url.bucket,
      .prefix = url.prefix,
      .access_key_id = first_set(options.s3.aws_access_key_id, url.key_id),
      .secret_access_key = first_set(options.s3.aws_secret_access_key, url.secret),
      .session_token = options.s3.aws_session_token,
      .profile = options.s3.profile,
      .endpoint_url = options.s3.endpoint_url,
      .region = options.s3.region,
      .is_path_style = options.s3.path_style};
  auto objects = blob::make_s3_store(s3, clients->environment(environment, context));
  Backend backend = of_bucket(std::move(objects), BlobStateKind::kS3, std::move(clients), context);
  const auto profiles = blob::AwsProfiles::read(environment, s3.profile);
  const std::string place =
      blob::find_s3_address(s3, environment, profiles.active()).endpoint + " " + url.bucket;
  backend.needs_probe = true;
  if (!options.cache_directory.empty()) {
    backend.probe_file =
        options.cache_directory / "conditional-writes" / to_hex(sha256(place)).substr(0, 32);
  }
  return backend;
}

Backend open_gcs(const BackendOptions& options, const os::Environment& environment,
                 const Context& context) {
  const BucketUrl url = parse_bucket_url(options.uri);
  if (url.bucket.empty()) throw no_bucket("gs");
  auto clients = std::make_shared<CloudClients>(context);
  const std::string& path = options.gcs.application_credentials_path.empty()
                                ? options.gcs.application_credentials
                                : options.gcs.application_credentials_path;
  auto objects = blob::make_gcs_store(
      {.bucket = url.bucket,
       .prefix = url.prefix,
       .credentials = {.application_credentials_json = options.gcs.application_credentials_json,
                       .application_credentials_path = path}},
      clients->environment(environment, context));
  return of_bucket(std::move(objects), BlobStateKind::kGcs, std::move(clients), context);
}

Backend open_azure(const BackendOptions& options, const os::Environment& environment,
                   const Context& context) {
  const BucketUrl url = parse_bucket_url(options.uri);
  if (url.bucket.empty()) {
    throw Error(ErrorCode::kInvalid,
                "Azure state backend URI must include a container name. Verify state backend URI. "
                "Must be in the form of azure://<container>/<prefix>.");
  }
  auto clients = std::make_shared<CloudClients>(context);
  auto objects = blob::make_azure_store({.container = url.bucket,
                                         .prefix = url.prefix,
                                         .storage_account_url = options.azure.storage_account_url,
                                         .connection_string = options.azure.connection_string},
                                        clients->environment(environment, context));
  return of_bucket(std::move(objects), BlobStateKind::kAzure, std::move(clients), context);
}

}  // namespace tidemark::state
