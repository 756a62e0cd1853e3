#include "tidemark/source/rest_auth.h"

#include <algorithm>
#include <charconv>
#include <mutex>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tidemark/base/base64.h"
#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/net/jwt.h"
#include "tidemark/net/url.h"
#include "tidemark/source/rest_error.h"
#include "tidemark/source/rest_template.h"

namespace tidemark::rest {
namespace {

using std::chrono::seconds;

class NoAuth final : public Auth {
 public:
  void apply(net::HttpRequest&, const AuthContext&) const override {}
};

class Bearer final : public Auth {
 public:
  explicit Bearer(SecretRef token) : token_(std::move(token)) {}

  void apply(net::HttpRequest& request, const AuthContext& context) const override {
    request.credentials.set("Authorization",
                            "Bearer " + token_.resolve(context.extraction).reveal());
  }

 private:
  SecretRef token_;
};

class Basic final : public Auth {
 public:
  Basic(std::string username, SecretRef password)
      : username_(std::move(username)), password_(std::move(password)) {}

  void apply(net::HttpRequest& request, const AuthContext& context) const override {
    const std::string pair = username_ + ":" + password_.resolve(context.extraction).reveal();
    request.credentials.set("Authorization", "Basic " + base64_encode(pair));
  }

 private:
  std::string username_;
  SecretRef password_;
};

class ApiKey final : public Auth {
 public:
  explicit ApiKey(ApiKeyOptions options) : options_(std::move(options)) {}

  void apply(net::HttpRequest& request, const AuthContext& context) const override {
    const Secret key = options_.api_key.resolve(context.extraction);
    if (options_.location == KeyLocation::kHeader) {
      request.credentials.set(options_.name, key.reveal());
      return;
    }
    request.secret_params.push_back(options_.name);
    // A link to the next page often brings it along.
    if (net::has_query_param(request.url, options_.name)) return;
    request.url = net::with_query(request.url, {{options_.name, key.reveal()}});
  }

 private:
  ApiKeyOptions options_;
};

struct Token {
  Secret text;
  seconds lifetime;
};

// Reads {"access_token": ..., "expires_in": ...}.
Token read_token(const net::HttpRequest& request, const net::HttpResponse& response,
                 seconds default_lifetime, const std::vector<std::string>& secrets) {
  if (response.status >= 300) throw status_error(request, response, secrets);
  json::Value body;
  try {
    body = json::read(response.body.view());
  } catch (const Error&) {
    // Read below as an answer without a token; what was wrong with the JSON could quote one.
  }
  const json::Value* text = body.find("access_token");
  if (text == nullptr || !text->is_string() || text->as_string().empty()) {
    throw Error(ErrorCode::kUnauthorized, describe(request) + ": the answer holds no access_token");
  }
  Token token{Secret(text->as_string()), default_lifetime};
  if (const json::Value* expires = body.find("expires_in"); expires && !expires->is_null()) {
    const std::string digits = to_text(*expires);
    int64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    token.lifetime = seconds(std::clamp<int64_t>(value, 0, 365L * 86400));
  }
  return token;
}

// A bearer token that is fetched when there is none or when it is about to expire.
class FetchedToken : public Auth {
 public:
  void apply(net::HttpRequest& request, const AuthContext& context) const final {
    const std::lock_guard lock(mutex_);
    if (!token_ || context.clock.steady_now() >= expires_) {
      const auto asked = context.clock.steady_now();
      Token token = fetch(context);
      token_ = std::move(token.text);
      // Early, so that it does not expire on its way.
      expires_ = asked + token.lifetime - std::min(seconds(30), token.lifetime / 10);
    }
    request.credentials.set("Authorization", "Bearer " + token_->reveal());
  }

 protected:
  virtual Token fetch(const AuthContext& context) const = 0;

  static net::HttpRequest form_request(std::string url, net::Headers headers,
                                       const net::QueryParams& form) {
    net::HttpRequest request{.method = "POST",
                             .url = std::move(url),
                             .headers = std::move(headers),
                             .body = net::encode_query(form)};
    request.headers.set("Content-Type", "application/x-www-form-urlencoded");
    request.headers.set("Accept", "application/json");
    // The form is a secret and goes where it was told to go.
    request.follows_redirects = false;
    return request;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::optional<Secret> token_;
  mutable std::chrono::steady_clock::time_point expires_;
};

class ClientCredentials final : public FetchedToken {
 public:
  explicit ClientCredentials(ClientCredentialsOptions options) : options_(std::move(options)) {}

 private:
  Token fetch(const AuthContext& context) const override {
    const Secret id = options_.client_id.resolve(context.extraction);
    const Secret secret = options_.client_secret.resolve(context.extraction);
    net::QueryParams form = {{"client_id", id.reveal()},
                             {"client_secret", secret.reveal()},
                             {"grant_type", "client_credentials"}};
    for (const auto& [name, value] : options_.access_token_request_data) {
      std::erase_if(form, [&](const auto& field) { return field.first == name; });
      form.emplace_back(name, to_text(value));
    }
    const net::HttpRequest request = form_request(options_.access_token_url, {}, form);
    const auto response = context.http.send(request, context.extraction.cancellation());
    return read_token(request, response, options_.default_token_expiration, {secret.reveal()});
  }

  ClientCredentialsOptions options_;
};

class Jwt final : public FetchedToken {
 public:
  explicit Jwt(JwtOptions options) : options_(std::move(options)) {}

 private:
  Token fetch(const AuthContext& context) const override {
    const std::string assertion =
        net::sign_jwt(claims(context.clock.now()), options_.private_key.resolve(context.extraction),
                      options_.private_key_passphrase.resolve(context.extraction));
    const net::HttpRequest request = form_request(
        options_.auth_endpoint, options_.headers,
        {{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"}, {"assertion", assertion}});
    const auto response = context.http.send(request, context.extraction.cancellation());
    return read_token(request, response, options_.default_token_expiration, {assertion});
  }

  json::Value claims(Time now) const {
    const int64_t issued = std::chrono::floor<seconds>(now).time_since_epoch().count();
    json::Object claims{{"iss", options_.client_id},
                        {"sub", options_.client_id},
                        {"aud", options_.auth_endpoint},
                        {"exp", issued + 3600},
                        {"iat", issued}};
    if (!options_.scopes.empty()) {
      claims.set("scope", fmt::format("{}", fmt::join(options_.scopes, " ")));
    }
    return claims;
  }

  JwtOptions options_;
};

}  // namespace

AuthPtr no_auth() { return std::make_shared<NoAuth>(); }

AuthPtr bearer(SecretRef token) { return std::make_shared<Bearer>(std::move(token)); }

AuthPtr http_basic(std::string username, SecretRef password) {
  return std::make_shared<Basic>(std::move(username), std::move(password));
}

AuthPtr api_key(ApiKeyOptions options) { return std::make_shared<ApiKey>(std::move(options)); }

AuthPtr oauth2_client_credentials(ClientCredentialsOptions options) {
  return std::make_shared<ClientCredentials>(std::move(options));
}

AuthPtr oauth2_jwt(JwtOptions options) { return std::make_shared<Jwt>(std::move(options)); }

}  // namespace tidemark::rest
