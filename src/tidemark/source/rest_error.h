#pragma once

#include <span>
#include <string>

#include "tidemark/base/error.h"
#include "tidemark/net/http.h"

namespace tidemark::rest {

// What a status of 300 or more means to whoever runs the pipeline: request (masked), status, the
// beginning of what the service said, what to look at. secrets are texts that must not show though
// the service repeats them; the request's own credentials are known.
Error status_error(const net::HttpRequest& request, const net::HttpResponse& response,
                   std::span<const std::string> secrets = {});

}  // namespace tidemark::rest
