#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tidemark/net/http.h"

namespace tidemark::net {

// What a service said, fit for an error: the first 200 bytes of text on one line, without request's
// credentials and secret parameters and without secrets, though the service repeats them.
std::string excerpt(const HttpRequest& request, std::string_view text,
                    std::span<const std::string> secrets = {});

}  // namespace tidemark::net
