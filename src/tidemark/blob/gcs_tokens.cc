#include "tidemark/blob/gcs_tokens.h"

#include <chrono>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/datetime.h"
#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"
#include "tidemark/net/http_date.h"
#include "tidemark/net/jwt.h"
#include "tidemark/os/files.h"

namespace tidemark::blob {
namespace {

using std::chrono::seconds;

constexpr std::string_view kStorageScope = "https://www.googleapis.com/auth/devstorage.read_write";
// What a login needs that only asks for another one's token.
constexpr std::string_view kPlatformScope = "https://www.googleapis.com/auth/cloud-platform";
constexpr std::string_view kTokenUrl = "https://oauth2.googleapis.com/token";
constexpr seconds kLifetime{3600};

const std::string& required(const json::Value& credentials, std::string_view name) {
  const json::Value* value = credentials.find(name);
  if (value == nullptr || !value->is_string() || value->as_string().empty()) {
    throw Error(ErrorCode::kInvalid, fmt::format("Google credentials hold no text '{}'", name));
  }
  return value->as_string();
}

std::string optional_text(const json::Value& credentials, std::string_view name,
                          std::string_view fallback = {}) {
  const json::Value* value = credentials.find(name);
  return value != nullptr && value->is_string() ? value->as_string() : std::string(fallback);
}

// A signed claim exchanged for a token (RFC 7523).
class ServiceAccount final : public TokenSource {
 public:
  ServiceAccount(const json::Value& credentials, std::string_view scope,
                 const CloudEnvironment& environment)
      : email_(required(credentials, "client_email")),
        key_(required(credentials, "private_key")),
        token_url_(optional_text(credentials, "token_uri", kTokenUrl)),
        scope_(scope),
        environment_(environment) {}

  AccessToken fetch() override {
    const Time now = environment_.clock.now();
    net::HttpRequest request = signed_request(now);
    net::HttpResponse response = environment_.http.send(request, environment_.cancellation);
    // Google refuses a claim of the past or the future with the same words as a wrong signature, so
    // a clock that is off is corrected from its answer, once.
    const auto date = net::parse_http_date(response.headers.find("Date").value_or(""));
    if (response.status == 400 && date && std::chrono::abs(*date - now) > seconds(60)) {
      request = signed_request(*date);
      response = environment_.http.send(request, environment_.cancellation);
    }
    return read_token(request, response, now, {});
  }

 private:
  net::HttpRequest signed_request(Time now) const {
    const int64_t issued = std::chrono::floor<seconds>(now.time_since_epoch()).count();
    const json::Object claims{{"iss", email_},
                              {"scope", scope_},
                              {"aud", token_url_},
                              {"iat", issued},
                              {"exp", issued + kLifetime.count()}};
    return token_form(token_url_, {{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"},
                                   {"assertion", net::sign_jwt(claims, key_, Secret())}});
  }

  std::string email_;
  Secret key_;
  std::string token_url_;
  std::string scope_;
  CloudEnvironment environment_;
};

// gcloud's login: a refresh token of a person.
class AuthorizedUser final : public TokenSource {
 public:
  AuthorizedUser(const json::Value& credentials, const CloudEnvironment& environment)
      : client_id_(required(credentials, "client_id")),
        client_secret_(required(credentials, "client_secret")),
        refresh_token_(required(credentials, "refresh_token")),
        token_url_(optional_text(credentials, "token_uri", kTokenUrl)),
        environment_(environment) {}

  AccessToken fetch() override {
    const net::HttpRequest request =
        token_form(token_url_, {{"grant_type", "refresh_token"},
                                {"client_id", client_id_},
                                {"client_secret", client_secret_.reveal()},
                                {"refresh_token", refresh_token_.reveal()}});
    const net::HttpResponse response = environment_.http.send(request, environment_.cancellation);
    const std::vector<std::string> secrets = {client_secret_.reveal(), refresh_token_.reveal()};
    return read_token(request, response, environment_.clock.now(), secrets);
  }

 private:
  std::string client_id_;
  Secret client_secret_;
  Secret refresh_token_;
  std::string token_url_;
  CloudEnvironment environment_;
};

// Another login's right to act as a service account.
class Impersonation final : public TokenSource {
 public:
  Impersonation(std::unique_ptr<TokenSource> source, std::string url, json::Value delegates,
                const CloudEnvironment& environment)
      : source_(std::move(source)),
        url_(std::move(url)),
        delegates_(std::move(delegates)),
        environment_(environment) {}

  AccessToken fetch() override {
    const Secret own = source_->fetch().text;
    const json::Object body{{"delegates", delegates_},
                            {"scope", json::Array{kStorageScope}},
                            {"lifetime", fmt::format("{}s", kLifetime.count())}};
    const net::HttpRequest request{.method = "POST",
                                   .url = url_,
                                   .headers = {{"Content-Type", "application/json"}},
                                   .credentials = {{"Authorization", "Bearer " + own.reveal()}},
                                   .body = json::write(body),
                                   .follows_redirects = false};
    const net::HttpResponse response = environment_.http.send(request, environment_.cancellation);
    if (response.status != 200) throw token_error(request, response, {});
    return read(request, response);
  }

 private:
  // {"accessToken": ..., "expireTime": "2026-01-02T03:04:05Z"}
  AccessToken read(const net::HttpRequest& request, const net::HttpResponse& response) const {
    const json::Value body = json::read(response.body.view());
    const std::string text = optional_text(body, "accessToken");
    const std::string end_text = optional_text(body, "expireTime");
    const auto end = parse_iso_datetime(end_text);
    if (text.empty() || !end) {
      throw Error(ErrorCode::kCorrupt,
                  describe(request) + ": the answer holds no accessToken with its expireTime");
    }
    const auto left =
        std::chrono::microseconds(end->utc_micros()) - environment_.clock.now().time_since_epoch();
    return {Secret(text), std::chrono::floor<seconds>(left)};
  }

  std::unique_ptr<TokenSource> source_;
  std::string url_;
  json::Value delegates_;
  CloudEnvironment environment_;
};

// A token of another identity provider, kept in a file or given out at a URL, exchanged for one of
// Google's (RFC 8693).
class ExternalAccount final : public TokenSource {
 public:
  ExternalAccount(const json::Value& credentials, std::string_view scope,
                  const CloudEnvironment& environment)
      : audience_(required(credentials, "audience")),
        token_type_(required(credentials, "subject_token_type")),
        token_url_(required(credentials, "token_url")),
        scope_(scope),
        environment_(environment) {
    const json::Value* source = credentials.find("credential_source");
    if (source != nullptr) source_ = *source;
    if (!source_.find("file") && !source_.find("url")) {
      throw Error(ErrorCode::kUnsupported,
                  "Google credentials of type external_account are supported when their "
                  "credential_source is a file or a url");
    }
  }

  AccessToken fetch() override {
    const std::string subject = subject_token();
    const net::HttpRequest request = token_form(
        token_url_, {{"grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"},
                     {"audience", audience_},
                     {"scope", scope_},
                     {"requested_token_type", "urn:ietf:params:oauth:token-type:access_token"},
                     {"subject_token_type", token_type_},
                     {"subject_token", subject}});
    const net::HttpResponse response = environment_.http.send(request, environment_.cancellation);
    const std::vector<std::string> secrets = {subject};
    return read_token(request, response, environment_.clock.now(), secrets);
  }

 private:
  std::string subject_token() const {
    std::string text =
        source_.find("file") ? os::read_file(required(source_, "file")) : ask_for_subject_token();
    const json::Value* format = source_.find("format");
    if (format == nullptr || optional_text(*format, "type", "text") == "text") return text;
    return required(json::read(text), required(*format, "subject_token_field_name"));
  }

  std::string ask_for_subject_token() const {
    net::HttpRequest request{.url = required(source_, "url"), .follows_redirects = false};
    if (const json::Value* headers = source_.find("headers")) {
      for (const auto& [name, value] : headers->as_object()) {
        request.credentials.add(name, value.as_string());
      }
    }
    const net::HttpResponse response = environment_.http.send(request, environment_.cancellation);
    if (response.status != 200) throw token_error(request, response, {});
    return std::string(response.body.view());
  }

  std::string audience_;
  std::string token_type_;
  std::string token_url_;
  std::string scope_;
  json::Value source_;
  CloudEnvironment environment_;
};

class MetadataServer final : public TokenSource {
 public:
  explicit MetadataServer(const CloudEnvironment& environment) : environment_(environment) {
    const std::string* host = environment.variables.find_not_empty("GCE_METADATA_HOST");
    host_ = host != nullptr ? *host : "metadata.google.internal";
  }

  AccessToken fetch() override {
    const net::HttpRequest request{
        .url = fmt::format("http://{}/computeMetadata/v1/instance/service-accounts/default/token",
                           host_),
        .headers = {{"Metadata-Flavor", "Google"}},
        .follows_redirects = false};
    return read_token(request, environment_.metadata_http.send(request, environment_.cancellation),
                      environment_.clock.now(), {});
  }

 private:
  std::string host_;
  CloudEnvironment environment_;
};

std::unique_ptr<TokenSource> make_source(const json::Value& credentials, std::string_view scope,
                                         const CloudEnvironment& environment);

std::unique_ptr<TokenSource> make_impersonation(std::unique_ptr<TokenSource> source,
                                                const json::Value& credentials,
                                                const CloudEnvironment& environment) {
  const json::Value* delegates = credentials.find("delegates");
  return std::make_unique<Impersonation>(
      std::move(source), required(credentials, "service_account_impersonation_url"),
      delegates != nullptr ? *delegates : json::Array{}, environment);
}

std::unique_ptr<TokenSource> make_external_account(const json::Value& credentials,
                                                   std::string_view scope,
                                                   const CloudEnvironment& environment) {
  if (!credentials.find("service_account_impersonation_url")) {
    return std::make_unique<ExternalAccount>(credentials, scope, environment);
  }
  return make_impersonation(
      std::make_unique<ExternalAccount>(credentials, kPlatformScope, environment), credentials,
      environment);
}

std::unique_ptr<TokenSource> make_source(const json::Value& credentials, std::string_view scope,
                                         const CloudEnvironment& environment) {
  const std::string type = optional_text(credentials, "type", "service_account");
  if (type == "service_account") {
    return std::make_unique<ServiceAccount>(credentials, scope, environment);
  }
  if (type == "authorized_user") return std::make_unique<AuthorizedUser>(credentials, environment);
  if (type == "external_account") return make_external_account(credentials, scope, environment);
  if (type == "impersonated_service_account") {
    const json::Value* source = credentials.find("source_credentials");
    if (source == nullptr) {
      throw Error(ErrorCode::kInvalid, "Google credentials hold no 'source_credentials'");
    }
    return make_impersonation(make_source(*source, kPlatformScope, environment), credentials,
                              environment);
  }
  throw Error(ErrorCode::kUnsupported,
              fmt::format("Google credentials of type '{}' are not supported: expected "
                          "service_account, authorized_user, external_account or "
                          "impersonated_service_account",
                          type));
}

}  // namespace

std::unique_ptr<TokenSource> make_gcs_token_source(const json::Value& credentials,
                                                   const CloudEnvironment& environment) {
  const std::string domain = optional_text(credentials, "universe_domain", "googleapis.com");
  if (domain != "googleapis.com") {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("Google credentials for the domain '{}' are not supported", domain));
  }
  return make_source(credentials, kStorageScope, environment);
}

std::unique_ptr<TokenSource> make_gcs_metadata_source(const CloudEnvironment& environment) {
  return std::make_unique<MetadataServer>(environment);
}

}  // namespace tidemark::blob
