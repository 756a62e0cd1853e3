#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tidemark/net/retry.h"
#include "tidemark/source/rest.h"

namespace tidemark::rest {

// Turns requests of one endpoint into HTTP, with credentials where they may go, and sends them.
class Sender {
 public:
  // endpoint must outlive it; first_url is where the endpoint starts.
  Sender(std::shared_ptr<const ClientOptions> options, source::Extraction& extraction,
         const Endpoint& endpoint, const std::string& first_url);
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  // Nothing for an answer that the endpoint ignores. Error for a status of 300 or more.
  std::optional<net::HttpResponse> send(const Request& request);
  // The last request as messages show it.
  const std::string& description() const { return description_; }

 private:
  net::HttpRequest to_http(const Request& request);
  void add_credentials(const Request& request, net::HttpRequest& http);
  bool is_ignored(const net::HttpResponse& response) const;

  std::shared_ptr<const ClientOptions> options_;
  source::Extraction& extraction_;
  const Endpoint& endpoint_;
  AuthPtr auth_;
  std::string trusted_origin_;
  net::RetryingHttpClient http_;
  std::string description_;
  bool has_warned_ = false;
};

// base_url and path, joined as dlt does: a whole URL is taken as it is.
std::string join_url(const std::string& base_url, const std::string& path);

// Identifies a request: equal for two that ask for the same.
std::string fingerprint(const Request& request);

}  // namespace tidemark::rest
