#include "tidemark/blob/gcs_credentials.h"

#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/blob/gcs_tokens.h"
#include "tidemark/json/read.h"
#include "tidemark/os/files.h"
#include "tidemark/os/process.h"

namespace tidemark::blob {
namespace {

constexpr const char* kPathVariable = "GOOGLE_APPLICATION_CREDENTIALS";

json::Value read_json_setting(const Secret& text) try {
  return json::read(text.reveal());
} catch (Error& error) {
  error.add_context("Invalid JSON in application_credentials_json");
  throw;
}

std::unique_ptr<TokenSource> source_of_text(const json::Value& credentials, std::string_view where,
                                            const CloudEnvironment& environment) try {
  return make_gcs_token_source(credentials, environment);
} catch (Error& error) {
  error.add_context(where);
  throw;
}

std::unique_ptr<TokenSource> source_of_file(const os::Path& file, std::string_view named_by,
                                            const CloudEnvironment& environment) try {
  return make_gcs_token_source(json::read(os::read_file(file)), environment);
} catch (Error& error) {
  error.add_context(fmt::format("{} '{}'", named_by, file.string()));
  throw;
}

os::Path gcloud_file(const os::Environment& variables) {
  const std::string* config = variables.find_not_empty("CLOUDSDK_CONFIG");
  const os::Path directory =
      config != nullptr ? os::Path(*config) : os::home_directory(variables) / ".config/gcloud";
  return directory / "application_default_credentials.json";
}

// Says what was looked for when the last resort gives no token.
class LastResort final : public TokenSource {
 public:
  LastResort(std::unique_ptr<TokenSource> metadata, os::Path login)
      : metadata_(std::move(metadata)), login_(std::move(login)) {}

  AccessToken fetch() override try { return metadata_->fetch(); } catch (const Error& error) {
    if (error.code() == ErrorCode::kCancelled) throw;
    throw Error(ErrorCode::kUnauthorized,
                fmt::format("no Google credentials: application_credentials_json and "
                            "application_credentials_path are not set, {} is not set, there is no "
                            "'{}' (made by gcloud auth application-default login), and no metadata "
                            "server gives a token: {}",
                            kPathVariable, login_.string(), error.message()));
  }

 private:
  std::unique_ptr<TokenSource> metadata_;
  os::Path login_;
};

}  // namespace

std::unique_ptr<TokenSource> find_gcs_credentials(const GcsCredentials& credentials,
                                                  const CloudEnvironment& environment) {
  const Secret& text = credentials.application_credentials_json;
  const std::string& path = credentials.application_credentials_path;
  if (!text.empty() && !path.empty()) {
    throw Error(ErrorCode::kInvalid,
                "Provide only one of 'application_credentials_path' or "
                "'application_credentials_json', not both.");
  }
  if (!text.empty()) {
    return source_of_text(read_json_setting(text), "application_credentials_json", environment);
  }
  if (!path.empty()) return source_of_file(path, "application_credentials_path", environment);
  if (const std::string* file = environment.variables.find_not_empty(kPathVariable)) {
    return source_of_file(*file, kPathVariable, environment);
  }
  const os::Path login = gcloud_file(environment.variables);
  if (os::path_exists(login)) return source_of_file(login, "gcloud's login", environment);
  return std::make_unique<LastResort>(make_gcs_metadata_source(environment), login);
}

}  // namespace tidemark::blob
