#pragma once

#include <string>
#include <string_view>

#include "tidemark/config/node.h"

namespace tidemark::config {

// Reads one YAML document; an empty text is null. Scalars follow the core schema of YAML 1.2: `yes`
// is text, `0777` the number 777, `0o17` the number 15; resolve_plain_scalar() says it all. Aliases
// and merge keys (`<<`) are resolved, a key of the map itself winning over merged ones and an
// earlier merge over a later one. Error kInvalid with file, line and column: bad syntax, a key
// twice in one map, a key that is no scalar, a second document, a tag other than YAML's own scalar
// tags, a number that JSON cannot hold. file is the name errors use.
Node read_yaml(std::string_view text, const std::string& file);

}  // namespace tidemark::config
