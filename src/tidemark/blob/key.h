#pragma once

#include <string_view>

#include "tidemark/blob/blob_store.h"

namespace tidemark::blob {

// Error kInvalid for a key that no store takes: an empty one, or one with a part `.` or `..`, which
// a store that keeps files, or a proxy in front of one, would resolve.
void check_key(std::string_view key);
// Error kInvalid for IfAbsent: nothing that is absent can be removed.
void check_remove_condition(const Condition& condition);

// Whether a listing shows the key.
bool is_listed(const Listing& listing, std::string_view key);

}  // namespace tidemark::blob
