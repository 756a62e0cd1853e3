#include "tidemark/source/rest_error.h"

#include <fmt/format.h>

#include "tidemark/net/excerpt.h"
#include "tidemark/net/status.h"

namespace tidemark::rest {
namespace {

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
  return {net::error_code(response.status), std::move(message)};
}

}  // namespace tidemark::rest
