#pragma once

#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/base/clock.h"
#include "tidemark/base/sleeper.h"
#include "tidemark/json/page.h"
#include "tidemark/json/value.h"
#include "tidemark/net/http.h"
#include "tidemark/net/retry.h"
#include "tidemark/source/resource.h"
#include "tidemark/source/rest_auth.h"
#include "tidemark/source/rest_paginator.h"

namespace tidemark::rest {

// What a client talks and waits with. Tests pass their own.
struct Transport {
  std::shared_ptr<net::HttpClient> http{};
  std::shared_ptr<Clock> clock{};
  std::shared_ptr<Sleeper> sleeper{};
  net::RetryPolicy retry{};
};
// libcurl, the system's clock and real waiting.
Transport make_transport(net::HttpOptions options = {}, net::RetryPolicy retry = {});

struct ClientOptions {
  std::string base_url{};
  net::Headers headers{};
  AuthPtr auth{};
  PaginatorPtr paginator{};                    // null: detected from the first answer
  std::optional<std::string> data_selector{};  // JSONPath; unset: detected from the first answer
  std::optional<Transport> transport{};        // unset: make_transport()
};

// An answer that ends the paging without an error. What is unset matches everything.
struct IgnoredResponse {
  std::optional<int> status_code{};
  std::optional<std::string> content{};  // part of the body
};

// One thing to read page by page. What is unset comes from the client.
struct Endpoint {
  std::string path{};  // under base_url, or a whole URL
  std::string method = "GET";
  json::Object params{};  // null is left out, an array repeats the name
  json::Value json{};
  json::Value data{};  // instead of json: an object is sent as a form, text as it is
  net::Headers headers{};
  AuthPtr auth{};
  PaginatorPtr paginator{};
  std::optional<std::string> data_selector{};
  std::vector<IgnoredResponse> response_actions{};
  // Names of fields: rows with equal key and equal content on neighbouring pages count once.
  std::vector<std::string> row_key{};
};

// The pages of one endpoint, read as they are asked for. Must not outlive the extraction.
class Pages {
 public:
  class Iterator;

  ~Pages();
  Pages(Pages&&) noexcept;
  Pages& operator=(Pages&&) noexcept;

  // The next page with rows; nothing at the end. Errors name request (masked), page number and
  // status.
  std::optional<json::Page> next();

  Iterator begin();
  std::default_sentinel_t end() const { return {}; }

 private:
  friend class Client;
  class Round;
  explicit Pages(std::unique_ptr<Round> round);
  std::unique_ptr<Round> round_;
};

// For range-for: the pages can be gone through once.
class Pages::Iterator {
 public:
  explicit Iterator(Pages& pages) : pages_(&pages), page_(pages.next()) {}

  json::Page operator*() const { return *page_; }
  Iterator& operator++() {
    page_ = pages_->next();
    return *this;
  }
  bool operator==(std::default_sentinel_t) const { return !page_; }

 private:
  Pages* pages_;
  std::optional<json::Page> page_;
};

// A REST service. A cheap shared value, thread-safe.
//
// Credentials go to the origin of base_url only (without one, to that of the endpoint's URL), and
// an endpoint's own auth to that of its URL. Where a link leads elsewhere it is followed without
// them, with a warning. Headers of the client and the endpoint count as credentials, but for
// Accept..., Content-Type and User-Agent.
//
// A round ends with Error kInvalid instead of reading for ever when the next request is one that
// was made before, or when a page that was asked for by number or offset is the same as the one
// before.
class Client {
 public:
  explicit Client(ClientOptions options);

  Pages paginate(source::Extraction& extraction, Endpoint endpoint) const;
  Pages paginate(source::Extraction& extraction, std::string path, json::Object params = {}) const {
    return paginate(extraction, Endpoint{.path = std::move(path), .params = std::move(params)});
  }

 private:
  std::shared_ptr<const ClientOptions> options_;
};

}  // namespace tidemark::rest
