#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tidemark/base/clock.h"
#include "tidemark/json/value.h"
#include "tidemark/net/http.h"
#include "tidemark/source/resource.h"
#include "tidemark/source/secret_ref.h"

namespace tidemark::rest {

using source::SecretRef;

// What an Auth may use while it works.
struct AuthContext {
  source::Extraction& extraction;
  net::HttpClient& http;
  Clock& clock;
};

// Puts credentials on requests. Thread-safe.
class Auth {
 public:
  virtual ~Auth() = default;

  // Called for each request; may ask the service for a token first.
  virtual void apply(net::HttpRequest& request, const AuthContext& context) const = 0;
};

// Shared between clients and endpoints. Null: none.
using AuthPtr = std::shared_ptr<const Auth>;

// Switches a client's auth off for an endpoint.
AuthPtr no_auth();
AuthPtr bearer(SecretRef token);
AuthPtr http_basic(std::string username, SecretRef password);

enum class KeyLocation { kHeader, kQuery };
struct ApiKeyOptions {
  SecretRef api_key{};
  std::string name = "Authorization";
  KeyLocation location = KeyLocation::kHeader;
};
AuthPtr api_key(ApiKeyOptions options);

// OAuth 2 client credentials: a form to access_token_url; the token is kept until it expires.
struct ClientCredentialsOptions {
  std::string access_token_url{};
  SecretRef client_id{};
  SecretRef client_secret{};
  json::Object access_token_request_data{};  // further fields of the form
  std::chrono::seconds default_token_expiration{3600};
};
AuthPtr oauth2_client_credentials(ClientCredentialsOptions options);

// OAuth 2 with a signed assertion (RFC 7523, RS256, valid for an hour).
struct JwtOptions {
  std::string client_id{};
  SecretRef private_key{};  // PEM
  SecretRef private_key_passphrase{};
  std::string auth_endpoint{};
  std::vector<std::string> scopes{};
  net::Headers headers{};
  std::chrono::seconds default_token_expiration{3600};
};
AuthPtr oauth2_jwt(JwtOptions options);

}  // namespace tidemark::rest
