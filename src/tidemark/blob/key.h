#pragma once

#include <string>
#include <string_view>

#include "tidemark/base/error.h"
#include "tidemark/blob/blob_store.h"

namespace tidemark::blob {

// Error kInvalid for a key that no store takes: an empty one, or one with a part `.` or `..`, which
// a store that keeps files, or a proxy in front of one, would resolve.
void check_key(std::string_view key);
// Error kInvalid for IfAbsent: nothing that is absent can be removed.
void check_remove_condition(const Condition& condition);

// Runs one call on a store; its error begins with `put 'a/lock' in s3://bucket/prefix`.
template <typename Call>
auto in_call(std::string_view operation, std::string_view key, const BlobStore& store,
             const Call& call) {
  try {
    return call();
  } catch (Error& error) {
    error.add_context(std::string(operation) + " '" + std::string(key) + "' in " +
                      store.describe());
    throw;
  }
}

// Whether a listing shows the key.
bool is_listed(const Listing& listing, std::string_view key);

}  // namespace tidemark::blob
