#include "tidemark/blob/access_token.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "tidemark/json/read.h"
#include "tidemark/net/excerpt.h"

namespace tidemark::blob {
namespace {

using std::chrono::seconds;

// A token is renewed so long before its end, so that it does not end on its way.
constexpr seconds kMargin{60};
// Of a token that does not say how long it lives.
constexpr seconds kShortLifetime{300};

std::optional<seconds> read_seconds(const json::Value& body, std::string_view name) {
  const json::Value* value = body.find(name);
  if (value == nullptr || (!value->is_number() && !value->is_string())) return std::nullopt;
  const std::string& text = value->is_string() ? value->as_string() : value->as_number().text();
  int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return seconds(count);
}

seconds read_lifetime(const json::Value& body, Time now) {
  if (const auto lifetime = read_seconds(body, "expires_in")) return *lifetime;
  const auto end = read_seconds(body, "expires_on");
  return end ? *end - std::chrono::floor<seconds>(now.time_since_epoch()) : kShortLifetime;
}

json::Value read_body(const net::HttpResponse& response) {
  try {
    return json::read(response.body.view());
  } catch (const Error&) {
    return nullptr;  // what is wrong with the text could quote a token
  }
}

}  // namespace

TokenCache::TokenCache(std::unique_ptr<TokenSource> source, Clock& clock)
    : source_(std::move(source)), clock_(clock) {}

Secret TokenCache::get() {
  const std::lock_guard lock(mutex_);
  const auto now = clock_.boot_now();
  if (!token_ || now >= renewal_) {
    AccessToken token = source_->fetch();
    token_ = std::move(token.text);
    renewal_ = now + std::max(token.lifetime - kMargin, seconds(0));
  }
  return *token_;
}

void TokenCache::reject(const Secret& token) {
  const std::lock_guard lock(mutex_);
  if (token_ == token) token_.reset();
}

net::HttpRequest token_form(std::string url, const net::QueryParams& form) {
  return {.method = "POST",
          .url = std::move(url),
          .headers = {{"Content-Type", "application/x-www-form-urlencoded"},
                      {"Accept", "application/json"}},
          .body = net::encode_query(form),
          .follows_redirects = false};
}

AccessToken read_token(const net::HttpRequest& request, const net::HttpResponse& response, Time now,
                       std::span<const std::string> secrets) {
  if (response.status != 200) throw token_error(request, response, secrets);
  const json::Value body = read_body(response);
  const json::Value* text = body.find("access_token");
  if (text == nullptr || !text->is_string() || text->as_string().empty()) {
    throw Error(ErrorCode::kCorrupt, describe(request) + ": the answer holds no access_token");
  }
  return {Secret(text->as_string()), read_lifetime(body, now)};
}

Error token_error(const net::HttpRequest& request, const net::HttpResponse& response,
                  std::span<const std::string> secrets) {
  const bool is_passing = response.status == 429 || response.status >= 500;
  return {is_passing ? ErrorCode::kUnavailable : ErrorCode::kUnauthorized,
          fmt::format("{}: status {}: {}", describe(request), response.status,
                      net::excerpt(request, response.body.view(), secrets))};
}

}  // namespace tidemark::blob
