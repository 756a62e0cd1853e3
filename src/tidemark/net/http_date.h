#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tidemark/base/clock.h"

namespace tidemark::net {

// "Sun, 06 Nov 1994 08:49:37 GMT": the one form of a date that is still to be sent (RFC 9110
// section 5.6.7), to the second. Nothing for any other text.
std::optional<Time> parse_http_date(std::string_view text);
std::string format_http_date(Time time);

}  // namespace tidemark::net
