#pragma once

#include <string>
#include <string_view>

#include "tidemark/config/node.h"
#include "tidemark/os/environment.h"

namespace tidemark::config {

// What becomes of a variable that is not set.
enum class MissingVariable {
  kEmpty,  // empty text, Meltano's rule
  kError,  // Error kInvalid that names place, key path and variable
};

// Puts variables in the place of `$NAME` (capitals, digits and _, a capital first) and `${name}`
// (any word) in every text of the tree, once, not in keys. `\$NAME` is the text `$NAME`. Places and
// paths stay.
Node expand(const Node& node, const os::Environment& environment, MissingVariable missing);

}  // namespace tidemark::config
