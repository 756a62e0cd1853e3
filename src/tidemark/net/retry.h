#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "tidemark/base/cancellation.h"
#include "tidemark/base/clock.h"
#include "tidemark/base/sleeper.h"
#include "tidemark/net/http.h"

namespace tidemark::net {

// Names and defaults are dlt's request_max_attempts, request_backoff_factor,
// request_max_retry_delay.
struct RetryPolicy {
  int attempts = 5;           // in total
  double backoff_factor = 1;  // times 1, 2, 4, 8, ... seconds
  std::chrono::milliseconds max_wait{300'000};
};

// A request that will be sent again.
struct Retry {
  int attempt = 1;  // that failed
  std::chrono::milliseconds wait{0};
  std::string reason{};  // "GET https://...: status 503"
};

// Sends again what failed for a while: status 429 and 5xx, no connection, time-out, a body that
// ended early. Waits 1, 2, 4, 8 s, or as Retry-After says (seconds or a date). After the last
// attempt the last answer is returned or the last error thrown. A request that is not repeatable is
// sent once.
class RetryingHttpClient final : public HttpClient {
 public:
  struct Environment {
    HttpClient& inner;
    Clock& clock;
    Sleeper& sleeper;
  };
  using OnRetry = std::function<void(const Retry&)>;
  // Whether the caller wants this answer though its status is one of those.
  using IsFinal = std::function<bool(const HttpResponse&)>;

  RetryingHttpClient(Environment environment, RetryPolicy policy, OnRetry on_retry,
                     IsFinal is_final);

  HttpResponse send(const HttpRequest& request, const Cancellation& cancellation) override;

 private:
  void wait(Retry retry, const Cancellation& cancellation);
  std::chrono::milliseconds wait_after(int attempt, const HttpResponse* response) const;

  Environment environment_;
  RetryPolicy policy_;
  OnRetry on_retry_;
  IsFinal is_final_;
};

}  // namespace tidemark::net
