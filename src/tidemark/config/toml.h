#pragma once

#include <string>
#include <string_view>

#include "tidemark/config/node.h"

namespace tidemark::config {

// Reads a TOML 1.0 document; the root is a map with its keys in the order of the file. Dates and
// times become their ISO text. Error kInvalid with file, line and column: bad syntax, infinities
// and NaN. file is the name errors use.
Node read_toml(std::string_view text, const std::string& file);

}  // namespace tidemark::config
