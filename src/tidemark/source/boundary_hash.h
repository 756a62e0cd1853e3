#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/hash.h"
#include "tidemark/json/node.h"

namespace tidemark::source {

// How dlt tells rows at a cursor's boundary apart (dlt 1.31): base64 of SHAKE-128 over
// sorted, compact JSON.
enum class HashFormat {
  kNew,  // since 1.29: 12 characters, date-times as microseconds since the epoch
  kOld,  // 20 characters, date-times as text with Z for UTC
};

inline constexpr size_t kOldHashSize = 20;

// What is hashed of a row: the value of a single key, an array for several, the whole row for none.
// Error kInvalid for a row without one of the keys.
void append_hashed_form(std::string& out, json::Node row, const std::vector<std::string>& key,
                        HashFormat format);
std::string hash_of_form(std::string_view form, HashFormat format, Shake128& shake);

}  // namespace tidemark::source
