#pragma once

#include <optional>
#include <string_view>

#include "tidemark/base/error.h"
#include "tidemark/blob/blob_store.h"

namespace tidemark::blob {

// Whether a write that threw this may have taken effect all the same.
bool is_unanswered(const Error& error);

// A conditional put whose answer may get lost: without one the object is read, and the bytes, which
// nobody else writes, mean that it took effect. The version; nothing when the condition did not
// hold. Throws what the put threw when the object still is what the condition names: then nobody
// was faster, the store did not take the write.
std::optional<Version> put_once(BlobStore& store, std::string_view key, std::string_view bytes,
                                const Condition& condition);

}  // namespace tidemark::blob
