#include "tidemark/source/rest_sender.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "tidemark/base/ascii.h"
#include "tidemark/base/error.h"
#include "tidemark/json/write.h"
#include "tidemark/net/url.h"
#include "tidemark/source/rest_error.h"
#include "tidemark/source/rest_template.h"

namespace tidemark::rest {
namespace {

bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

// Characters that no URL may hold (a blank, é, a lone %) become %XX; what is encoded stays as it
// is.
std::string encode_illegal(std::string_view url) {
  constexpr std::string_view kLegal = "-._~:/?#[]@!$&'()*+,;=";
  std::string out;
  for (size_t i = 0; i < url.size(); ++i) {
    const char c = url[i];
    const bool is_escape =
        c == '%' && i + 2 < url.size() && is_hex(url[i + 1]) && is_hex(url[i + 2]);
    const bool is_legal = is_escape || kLegal.find(c) != std::string_view::npos ||
                          (static_cast<unsigned char>(c) < 0x80 && std::isalnum(c));
    out += is_legal ? std::string(1, c) : net::percent_encode({&c, 1});
  }
  return out;
}

net::QueryParams to_query(const json::Object& params) {
  net::QueryParams query;
  for (const auto& [name, value] : params) {
    try {
      if (value.is_array()) {
        for (const json::Value& item : value.as_array()) query.emplace_back(name, to_text(item));
      } else if (!value.is_null()) {
        query.emplace_back(name, to_text(value));
      }
    } catch (Error& error) {
      error.add_context(fmt::format("parameter {}", name));
      throw;
    }
  }
  return query;
}

void set_body(const Request& request, net::HttpRequest& http) {
  if (!request.json.is_null()) {
    http.body = json::write(request.json);
    if (!http.headers.find("Content-Type")) http.headers.set("Content-Type", "application/json");
  } else if (request.data.is_object()) {
    http.body = net::encode_query(to_query(request.data.as_object()));
    if (!http.headers.find("Content-Type")) {
      http.headers.set("Content-Type", "application/x-www-form-urlencoded");
    }
  } else if (!request.data.is_null()) {
    http.body = to_text(request.data);
  }
}

// Headers that say how to answer, not who asks.
bool is_public(std::string_view name) {
  const std::string lower = ascii_lower(name);
  return lower.starts_with("accept") || lower == "content-type" || lower == "user-agent";
}

net::RetryingHttpClient::Environment environment(const Transport& transport) {
  return {*transport.http, *transport.clock, *transport.sleeper};
}

}  // namespace

Sender::Sender(std::shared_ptr<const ClientOptions> options, source::Extraction& extraction,
               const Endpoint& endpoint, const std::string& first_url)
    : options_(std::move(options)),
      extraction_(extraction),
      endpoint_(endpoint),
      auth_(endpoint.auth ? endpoint.auth : options_->auth),
      trusted_origin_(net::url_origin(encode_illegal(
          endpoint.auth || options_->base_url.empty() ? first_url : options_->base_url))),
      http_(
          environment(*options_->transport), options_->transport->retry,
          [this](const net::Retry& retry) {
            extraction_.warn(fmt::format("{}; attempt {} follows in {:.1f} s", retry.reason,
                                         retry.attempt + 1,
                                         std::chrono::duration<double>(retry.wait).count()));
          },
          [this](const net::HttpResponse& response) { return is_ignored(response); }) {}

std::optional<net::HttpResponse> Sender::send(const Request& request) {
  const net::HttpRequest http = to_http(request);
  description_ = describe(http);
  net::HttpResponse response = http_.send(http, extraction_.cancellation());
  if (is_ignored(response)) return std::nullopt;
  if (response.status >= 300) throw status_error(http, response);
  return response;
}

net::HttpRequest Sender::to_http(const Request& request) {
  net::HttpRequest http{
      .method = request.method,
      .url = encode_illegal(net::with_query(request.url, to_query(request.params)))};
  for (const auto& [name, value] : request.headers) {
    if (is_public(name)) http.headers.set(name, value);
  }
  set_body(request, http);
  add_credentials(request, http);
  return http;
}

void Sender::add_credentials(const Request& request, net::HttpRequest& http) {
  const bool has_private = std::ranges::any_of(
      request.headers, [](const auto& field) { return !is_public(field.first); });
  if (!auth_ && !has_private) return;
  const std::string origin = net::url_origin(http.url);
  if (origin != trusted_origin_) {
    if (!std::exchange(has_warned_, true)) {
      extraction_.warn(fmt::format("{} is not at {}: asked without credentials", describe(http),
                                   trusted_origin_));
    }
    return;
  }
  for (const auto& [name, value] : request.headers) {
    if (!is_public(name)) http.credentials.set(name, value);
  }
  if (auth_) auth_->apply(http, {extraction_, http_, *options_->transport->clock});
}

bool Sender::is_ignored(const net::HttpResponse& response) const {
  return std::ranges::any_of(endpoint_.response_actions, [&](const IgnoredResponse& action) {
    return (!action.status_code || *action.status_code == response.status) &&
           (!action.content ||
            response.body.view().find(*action.content) != std::string_view::npos);
  });
}

std::string join_url(const std::string& base_url, const std::string& path) {
  if (path.starts_with("http://") || path.starts_with("https://") || base_url.empty()) return path;
  if (path.empty()) return base_url;
  const std::string_view base =
      std::string_view(base_url).substr(0, base_url.find_last_not_of('/') + 1);
  const std::string_view rest =
      std::string_view(path).substr(std::min(path.find_first_not_of('/'), path.size()));
  return fmt::format("{}/{}", base, rest);
}

std::string fingerprint(const Request& request) {
  return json::write(json::Array{request.url, request.params, request.json, request.data});
}

}  // namespace tidemark::rest
