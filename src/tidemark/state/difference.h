#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tidemark/json/value.h"
#include "tidemark/state/document.h"

namespace tidemark::state {

// A place where two documents differ.
struct Difference {
  // `completed.singer_state.bookmarks.orders.id`; a key that is no plain word is quoted:
  // `bookmarks."a.b"`.
  std::string path;
  std::optional<json::Value> before;  // nothing: added
  std::optional<json::Value> after;   // nothing: removed

  bool operator==(const Difference&) const = default;
};

// In the order of the keys of before, then of those that are new. Objects are compared member by
// member without regard to order; arrays and scalars as a whole. No document counts as an empty
// one.
std::vector<Difference> differences(const std::optional<Document>& before,
                                    const std::optional<Document>& after);

}  // namespace tidemark::state
