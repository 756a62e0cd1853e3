#include "tidemark/blob/key.h"

#include <algorithm>

#include <fmt/format.h>

namespace tidemark::blob {

void check_key(std::string_view key) {
  if (key.empty()) throw Error(ErrorCode::kInvalid, "no object has an empty key");
  for (size_t start = 0; start <= key.size();) {
    const size_t end = std::min(key.find('/', start), key.size());
    const std::string_view part = key.substr(start, end - start);
    if (part == "." || part == "..") {
      throw Error(ErrorCode::kInvalid, fmt::format("key '{}' has a part '{}'", key, part));
    }
    start = end + 1;
  }
}

void check_remove_condition(const Condition& condition) {
  if (std::holds_alternative<IfAbsent>(condition)) {
    throw Error(ErrorCode::kInvalid, "what is absent cannot be removed");
  }
}

namespace {

bool is_leaf(const Leaf& leaf, std::string_view key) {
  return key.substr(key.rfind('/') + 1) == leaf.name &&
         static_cast<size_t>(std::ranges::count(key, '/')) + 1 == leaf.parts;
}

}  // namespace

bool is_listed(const Listing& listing, std::string_view key) {
  return (!listing.leaf || is_leaf(*listing.leaf, key)) && key.starts_with(listing.prefix) &&
         (listing.after.empty() || key > listing.after) &&
         (listing.skipped.empty() || !key.starts_with(listing.skipped));
}

}  // namespace tidemark::blob
