#include "tidemark/cli/state_backend_options.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::cli {
namespace {

template <typename Value>
Value value_of(const std::optional<project::Placed<Value>>& placed) {
  return placed ? placed->value : Value{};
}

}  // namespace

state::BackendOptions backend_options(const project::StateBackendSettings& settings,
                                      const os::Path& root, const os::Path& cache_directory) {
  return {
      .uri = settings.uri.value,
      .lock_timeout = settings.lock_timeout.value,
      .allow_unconditional = settings.allow_unconditional.value,
      .s3 = {.aws_access_key_id = value_of(settings.s3.aws_access_key_id),
             .aws_secret_access_key = value_of(settings.s3.aws_secret_access_key),
             .aws_session_token = value_of(settings.s3.aws_session_token),
             .profile = value_of(settings.s3.profile),
             .endpoint_url = value_of(settings.s3.endpoint_url),
             .region = value_of(settings.s3.region),
             .path_style = settings.s3.path_style ? std::optional(settings.s3.path_style->value)
                                                  : std::nullopt},
      .gcs = {.application_credentials_json = value_of(settings.gcs.application_credentials_json),
              .application_credentials_path =
                  value_of(settings.gcs.application_credentials_path).reveal(),
              .application_credentials = value_of(settings.gcs.application_credentials).reveal()},
      .azure = {.connection_string = value_of(settings.azure.connection_string),
                .storage_account_url = value_of(settings.azure.storage_account_url)},
      .database_uri = value_of(settings.database_uri),
      .database_max_retries = settings.database_max_retries.value,
      .database_retry_timeout = settings.database_retry_timeout.value,
      .project_root = root,
      .cache_directory = cache_directory,
  };
}

config::Node store_overrides(const StateStoreOptions& options) {
  std::vector<config::Node::Member> members;
  const auto add = [&](const std::string& key, const std::optional<std::string>& value) {
    if (value) members.push_back({key, config::Node::scalar(*value)});
  };
  add("state_backend.uri", options.state_backend_uri);
  add("database_uri", options.database_uri);
  return config::Node::map(std::move(members));
}

os::Path cache_directory(const CliContext& context) {
  const std::string* cache = context.environment->find_not_empty("XDG_CACHE_HOME");
  return (cache ? os::Path(*cache) : context.surroundings.home_directory / ".cache") / "tidemark";
}

}  // namespace tidemark::cli
