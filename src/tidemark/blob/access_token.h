#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "tidemark/base/clock.h"
#include "tidemark/base/error.h"
#include "tidemark/base/secret.h"
#include "tidemark/net/http.h"
#include "tidemark/net/url.h"

namespace tidemark::blob {

struct AccessToken {
  Secret text;
  std::chrono::seconds lifetime{0};  // from the moment it was asked for
};

// One way to log in to a cloud.
class TokenSource {
 public:
  virtual ~TokenSource() = default;

  // Asks for a new token. Error kUnauthorized when the login is refused or there is none,
  // kUnavailable and kTimeout when nobody can tell now, kCancelled.
  virtual AccessToken fetch() = 0;
};

// Hands out a source's token: asked for when there is none and when it ends within a minute.
// Thread-safe; one caller asks while the others wait.
class TokenCache {
 public:
  TokenCache(std::unique_ptr<TokenSource> source, Clock& clock);

  Secret get();
  // The service refused this token: the next get() asks for another, unless somebody did since.
  void reject(const Secret& token);

 private:
  std::unique_ptr<TokenSource> source_;
  Clock& clock_;
  std::mutex mutex_;
  std::optional<Secret> token_;
  std::chrono::microseconds renewal_{0};  // by the clock that does not stop in suspension
};

// A form for a token endpoint. It goes to that address only, not along a redirect.
net::HttpRequest token_form(std::string url, const net::QueryParams& form);

// Reads {"access_token": text, "expires_in": seconds}, or "expires_on": seconds since 1970; either
// may be text. Error kUnauthorized for a refusal, kUnavailable for status 429 and 5xx, kCorrupt for
// another answer. secrets must not show though the service repeats them.
AccessToken read_token(const net::HttpRequest& request, const net::HttpResponse& response, Time now,
                       std::span<const std::string> secrets);
// What such an answer means when it is no token.
Error token_error(const net::HttpRequest& request, const net::HttpResponse& response,
                  std::span<const std::string> secrets);

}  // namespace tidemark::blob
