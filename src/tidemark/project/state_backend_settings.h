#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "tidemark/base/secret.h"
#include "tidemark/project/layered_settings.h"

namespace tidemark::project {

// A value and the place it comes from, for messages: `meltano.yml:3:5`, `environment variable
// MELTANO_STATE_BACKEND_URI`, `the default`.
template <typename Value>
struct Placed {
  Value value = {};
  std::string origin = {};
};

// What a project says of its state backend and its system database. Nothing where it says nothing
// and Meltano has no default.
struct StateBackendSettings {
  struct S3 {
    std::optional<Placed<Secret>> aws_access_key_id = {};
    std::optional<Placed<Secret>> aws_secret_access_key = {};
    std::optional<Placed<Secret>> aws_session_token = {};
    std::optional<Placed<std::string>> endpoint_url = {};
    std::optional<Placed<std::string>> profile = {};
    std::optional<Placed<std::string>> region = {};
    std::optional<Placed<bool>> path_style = {};
  };
  struct Gcs {
    std::optional<Placed<Secret>> application_credentials = {};
    std::optional<Placed<Secret>> application_credentials_json = {};
    std::optional<Placed<Secret>> application_credentials_path = {};
  };
  struct Azure {
    std::optional<Placed<Secret>> connection_string = {};
    std::optional<Placed<std::string>> storage_account_url = {};
  };

  // The URIs may hold credentials.
  Placed<Secret> uri = {};
  Placed<std::chrono::milliseconds> lock_timeout = {};
  Placed<bool> allow_unconditional = {};
  S3 s3 = {};
  Gcs gcs = {};
  Azure azure = {};
  // Nothing when a variable in it is not set; only a command that needs the database minds.
  std::optional<Placed<Secret>> database_uri = {};
  Placed<int> database_max_retries = {};
  Placed<std::chrono::seconds> database_retry_timeout = {};
};

// Of a project's own settings. Error kInvalid names file, line and setting: a number that is none
// or below zero, a list where text is expected, a `state_backend.uri` of which nothing is left, a
// name that is none.
StateBackendSettings read_state_backend_settings(const LayeredSettings& settings);

// What origin_of() says of a value that nothing sets.
inline constexpr std::string_view kDefaultOrigin = "the default";

// The place that a value comes from: `meltano.yml:3:5`, `environment variable NAME`,
// kDefaultOrigin.
std::string origin_of(const Setting& setting);

}  // namespace tidemark::project
