#pragma once

#include "tidemark/base/error.h"

namespace tidemark::net {

// What a status means that is no success, where the service gives it no meaning of its own: 401,
// 403 and 407 kUnauthorized, 404 and 410 kNotFound, 408 kTimeout, 429 and 5xx kUnavailable, else
// kInvalid.
ErrorCode error_code(int status);

}  // namespace tidemark::net
