#include "tidemark/net/retry.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/net/http_date.h"

namespace tidemark::net {
namespace {

using std::chrono::milliseconds;

bool is_passing_status(int status) { return status == 429 || (status >= 500 && status < 600); }

bool is_passing(const Error& error) {
  return error.code() == ErrorCode::kUnavailable || error.code() == ErrorCode::kTimeout;
}

// What Retry-After asks for; nothing when it is absent, not understood, or not ahead.
std::optional<milliseconds> retry_after(const HttpResponse& response, Time now) {
  const auto text = response.headers.find("Retry-After");
  if (!text) return std::nullopt;
  int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), seconds);
  milliseconds wait{0};
  if (error == std::errc() && end == text->data() + text->size()) {
    // Capped here already: a thousandfold of the greatest number does not fit.
    wait = std::chrono::seconds(std::clamp<int64_t>(seconds, 0, 1'000'000'000));
  } else if (const auto date = parse_http_date(*text)) {
    wait = std::chrono::ceil<milliseconds>(*date - now);
  }
  return wait > milliseconds(0) ? std::optional(wait) : std::nullopt;
}

}  // namespace

RetryingHttpClient::RetryingHttpClient(Environment environment, RetryPolicy policy,
                                       OnRetry on_retry, IsFinal is_final)
    : environment_(environment),
      policy_(policy),
      on_retry_(std::move(on_retry)),
      is_final_(std::move(is_final)) {}

HttpResponse RetryingHttpClient::send(const HttpRequest& request,
                                      const Cancellation& cancellation) {
  const int attempts = request.is_repeatable ? std::max(policy_.attempts, 1) : 1;
  for (int attempt = 1;; ++attempt) {
    const bool is_last = attempt == attempts;
    Retry retry{.attempt = attempt};
    try {
      HttpResponse response = environment_.inner.send(request, cancellation);
      if (is_last || !is_passing_status(response.status) || (is_final_ && is_final_(response))) {
        return response;
      }
      retry.wait = wait_after(attempt, &response);
      retry.reason = fmt::format("{}: status {}", describe(request), response.status);
    } catch (const Error& error) {
      if (is_last || !is_passing(error)) throw;
      retry.wait = wait_after(attempt, nullptr);
      retry.reason = error.message();
    }
    wait(std::move(retry), cancellation);
  }
}

void RetryingHttpClient::wait(Retry retry, const Cancellation& cancellation) {
  if (on_retry_) on_retry_(retry);
  environment_.sleeper.sleep(retry.wait, cancellation);
}

milliseconds RetryingHttpClient::wait_after(int attempt, const HttpResponse* response) const {
  const milliseconds longest = policy_.max_wait;
  if (response != nullptr) {
    if (const auto asked = retry_after(*response, environment_.clock.now())) {
      return std::min(*asked, longest);
    }
  }
  const double seconds = policy_.backoff_factor * std::exp2(std::min(attempt - 1, 30));
  const double longest_seconds = std::chrono::duration<double>(longest).count();
  return std::chrono::duration_cast<milliseconds>(
      std::chrono::duration<double>(std::min(seconds, longest_seconds)));
}

}  // namespace tidemark::net
