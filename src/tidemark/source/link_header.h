#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tidemark/net/http.h"

namespace tidemark::rest {

// The target of the first link with that relation in the Link headers (RFC 8288), as it was
// written.
std::optional<std::string> find_link(const net::Headers& headers, std::string_view rel);

}  // namespace tidemark::rest
