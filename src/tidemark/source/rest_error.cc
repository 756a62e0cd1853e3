#include "tidemark/source/rest_error.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "tidemark/net/url.h"

namespace tidemark::rest {
namespace {

constexpr size_t kExcerptSize = 200;
// Shorter ones stand in too many texts by chance.
constexpr size_t kShortestSecret = 4;

ErrorCode code_of(int status) {
  if (status == 401 || status == 403 || status == 407) return ErrorCode::kUnauthorized;
  if (status == 404 || status == 410) return ErrorCode::kNotFound;
  if (status == 408) return ErrorCode::kTimeout;
  if (status == 429 || status >= 500) return ErrorCode::kUnavailable;
  return ErrorCode::kInvalid;
}

std::string_view advice(int status) {
  switch (status) {
    case 401:
      return "the service does not accept the credentials; look at client.auth";
    case 403:
      return "the credentials lack the right, or the rate limit is used up";
    case 404:
      return "look at base_url and path; response_actions can ignore it";
    case 429:
      return "the rate limit is used up";
    default:
      return "";
  }
}

// The values of the request's credentials, also without their scheme word, and of secret
// parameters.
std::vector<std::string> secrets_of(const net::HttpRequest& request) {
  std::vector<std::string> secrets = net::secret_values(request.url, request.secret_params);
  for (const auto& [name, value] : request.credentials) {
    secrets.push_back(value);
    if (const size_t blank = value.find(' '); blank != std::string::npos) {
      secrets.push_back(value.substr(blank + 1));
    }
  }
  return secrets;
}

void redact(std::string& text, std::string_view secret) {
  if (secret.size() < kShortestSecret) return;
  for (size_t at = text.find(secret); at != std::string::npos; at = text.find(secret, at)) {
    text.replace(at, secret.size(), "***");
  }
}

// Not in the middle of a UTF-8 character.
void cut(std::string& text, size_t size) {
  if (text.size() <= size) return;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  text.resize(size);
  text += "...";
}

}  // namespace

std::string excerpt(const net::HttpRequest& request, std::string_view text,
                    std::span<const std::string> secrets) {
  // Enough to find a secret that the cut would halve.
  std::string out(text.substr(0, kExcerptSize + 8192));
  for (const std::string& secret : secrets_of(request)) redact(out, secret);
  for (const std::string& secret : secrets) redact(out, secret);
  std::ranges::replace_if(out, [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  cut(out, kExcerptSize);
  return out;
}

Error status_error(const net::HttpRequest& request, const net::HttpResponse& response,
                   std::span<const std::string> secrets) {
  std::string message = fmt::format("{}: status {}", describe(request), response.status);
  if (const std::string said = excerpt(request, response.body.view(), secrets); !said.empty()) {
    message += ": " + said;
  }
  if (const std::string_view hint = advice(response.status); !hint.empty()) {
    message += fmt::format(" ({})", hint);
  }
  return {code_of(response.status), std::move(message)};
}

}  // namespace tidemark::rest
