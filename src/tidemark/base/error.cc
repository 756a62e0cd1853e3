#include "tidemark/base/error.h"

#include <utility>

namespace tidemark {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalid:
      return "invalid";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kConflict:
      return "conflict";
    case ErrorCode::kLocked:
      return "locked";
    case ErrorCode::kUnauthorized:
      return "unauthorized";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kTimeout:
      return "timeout";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kCorrupt:
      return "corrupt";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "internal";
}

Error::Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

void Error::add_context(std::string_view context) {
  message_.insert(0, ": ");
  message_.insert(0, context);
}

}  // namespace tidemark
