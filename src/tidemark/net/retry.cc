#include "tidemark/net/retry.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "tidemark/base/error.h"

namespace tidemark::net {
namespace {

using std::chrono::milliseconds;

bool is_passing_status(int status) { return status == 429 || (status >= 500 && status < 600); }

bool is_passing(const Error& error) {
  return error.code() == ErrorCode::kUnavailable || error.code() == ErrorCode::kTimeout;
}

// "Sun, 06 Nov 1994 08:49:37 GMT", the one form that is still to be sent (RFC 9110 section 5.6.7).
std::optional<Time> parse_http_date(std::string_view text) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  std::array<char, 4> name{};
  unsigned day = 0;
  int year = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  const std::string copy(text);
  if (std::sscanf(copy.c_str(), "%*3s, %2u %3s %4d %2d:%2d:%2d GMT", &day, name.data(), &year,
                  &hour, &minute, &second) != 6) {
    return std::nullopt;
  }
  const size_t month = kMonths.find(name.data());
  if (month == std::string_view::npos || month % 3 != 0) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month / 3 + 1)),
                                         std::chrono::day(day)};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second);
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
