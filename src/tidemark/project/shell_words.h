#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tidemark::project {

// The words of a command line as Python's shlex.split() has them: blanks between, `'…'` as it is,
// in `"…"` a backslash before `"` and `\`, elsewhere before any character. Error kInvalid for
// quotes that are not closed.
std::vector<std::string> split_words(std::string_view text);

}  // namespace tidemark::project
