#include "tidemark/net/status.h"

namespace tidemark::net {

ErrorCode error_code(int status) {
  if (status == 401 || status == 403 || status == 407) return ErrorCode::kUnauthorized;
  if (status == 404 || status == 410) return ErrorCode::kNotFound;
  if (status == 408) return ErrorCode::kTimeout;
  if (status == 429 || status >= 500) return ErrorCode::kUnavailable;
  return ErrorCode::kInvalid;
}

}  // namespace tidemark::net
