#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tidemark/base/clock.h"
#include "tidemark/base/random.h"

namespace tidemark {

// A UUID of version 7 (RFC 9562): the millisecond, then random bits; lower case with dashes.
std::string make_uuid7(Time time, Random& random);

// The UUID in that text, with or without dashes and in either case, in the form of make_uuid7();
// nothing when it is none.
std::optional<std::string> read_uuid(std::string_view text);

}  // namespace tidemark
