#pragma once

#include <string>

#include "tidemark/base/clock.h"
#include "tidemark/base/random.h"

namespace tidemark {

// A UUID of version 7 (RFC 9562): the millisecond, then random bits; lower case with dashes.
std::string make_uuid7(Time time, Random& random);

}  // namespace tidemark
