#include "tidemark/source/rest_error.h"

#include <fmt/format.h>

#include "tidemark/net/excerpt.h"

namespace tidemark::rest {
namespace {

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

}  // namespace

Error status_error(const net::HttpRequest& request, const net::HttpResponse& response,
                   std::span<const std::string> secrets) {
  std::string message = fmt::format("{}: status {}", describe(request), response.status);
  if (const std::string said = net::excerpt(request, response.body.view(), secrets);
      !said.empty()) {
    message += ": " + said;
  }
  if (const std::string_view hint = advice(response.status); !hint.empty()) {
    message += fmt::format(" ({})", hint);
  }
  return {code_of(response.status), std::move(message)};
}

}  // namespace tidemark::rest
