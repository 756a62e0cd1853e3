#pragma once

#include <string_view>

namespace tidemark {

// Whether text matches pattern as Python's fnmatch does: * ? [abc] [!abc] [a-z]; the whole text,
// case counts, and * crosses slashes.
bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace tidemark
