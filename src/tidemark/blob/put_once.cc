#include "tidemark/blob/put_once.h"

namespace tidemark::blob {
namespace {

bool holds(const Condition& condition, const std::optional<Blob>& stored) {
  if (std::holds_alternative<IfAbsent>(condition)) return !stored;
  const auto* match = std::get_if<IfMatch>(&condition);
  return match == nullptr || (stored && stored->version == match->version);
}

}  // namespace

bool is_unanswered(const Error& error) {
  return error.code() == ErrorCode::kUnavailable || error.code() == ErrorCode::kTimeout;
}

std::optional<Version> put_once(BlobStore& store, std::string_view key, std::string_view bytes,
                                const Condition& condition) {
  try {
    return store.put(key, bytes, condition);
  } catch (const Error& error) {
    if (!is_unanswered(error)) throw;
    const auto stored = store.get(key);
    if (stored && stored->bytes == bytes) return stored->version;
    if (holds(condition, stored)) throw;
    return std::nullopt;
  }
}

}  // namespace tidemark::blob
