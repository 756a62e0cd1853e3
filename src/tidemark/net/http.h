#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemark/base/cancellation.h"
#include "tidemark/json/page.h"

namespace tidemark::net {

// Header fields in the order in which they are sent or came. Names compare without case.
class Headers {
 public:
  using Field = std::pair<std::string, std::string>;

  Headers() = default;
  Headers(std::initializer_list<Field> fields) : fields_(fields) {}

  void add(std::string name, std::string value);
  // Replaces every field of that name.
  void set(std::string name, std::string value);
  // Of the first field of that name.
  std::optional<std::string_view> find(std::string_view name) const;
  std::vector<std::string_view> find_all(std::string_view name) const;

  bool empty() const { return fields_.empty(); }
  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }

 private:
  std::vector<Field> fields_;
};

struct HttpRequest {
  std::string method = "GET";
  std::string url{};  // absolute, http or https, encoded: sent as it is
  Headers headers{};
  // Fields that prove who asks. They go to the origin of url only, not along a redirect to another
  // one.
  Headers credentials{};
  // Names of query parameters that are secret, besides those mask_url() knows.
  std::vector<std::string> secret_params{};
  std::string body{};
  bool accepts_compression = true;
  bool follows_redirects = true;
  // Whether sending it twice does no harm: not so for a conditional write, whose answer may be lost
  // after it took effect.
  bool is_repeatable = true;
};

struct HttpResponse {
  int status = 0;
  Headers headers;    // of the last answer, after redirects
  json::Buffer body;  // decompressed, padded for the JSON parser
  std::string url;    // that answered
};

// "GET https://host/path?api_key=***": the only form in which a request appears in messages.
std::string describe(const HttpRequest& request);

// Sends requests. Thread-safe: each call under way has a connection of its own.
class HttpClient {
 public:
  virtual ~HttpClient() = default;

  // Whatever status the service answers is a result. Error kTimeout or kUnavailable when there is
  // no whole answer (a body that ends early included), kUnauthorized for a certificate that does
  // not verify, kInvalid for an unusable URL or header, kCancelled within a tenth of a second.
  virtual HttpResponse send(const HttpRequest& request, const Cancellation& cancellation) = 0;
};

struct HttpOptions {
  std::chrono::milliseconds connect_timeout{30'000};
  // No byte in either direction for so long: what dlt calls request_timeout.
  std::chrono::milliseconds idle_timeout{60'000};
  // On average over that time: an answer that only drips is none. 0: any.
  int64_t least_bytes_per_second = 0;
  // For one answer, however steadily it drips.
  std::chrono::milliseconds total_timeout{600'000};
  std::string user_agent = "tidemark/0.1.0";
  std::string ca_file{};  // certificates to trust; empty = the system's
};

// libcurl: connections kept alive, HTTP/2 where offered, gzip, deflate, brotli and zstd, proxies
// from the environment, certificates verified.
std::unique_ptr<HttpClient> make_http_client(HttpOptions options);

}  // namespace tidemark::net
