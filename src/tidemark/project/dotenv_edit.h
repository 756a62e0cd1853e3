#pragma once

#include <string>
#include <string_view>

namespace tidemark::project {

// Each gives the text of a .env file back with one variable changed and every other byte kept. file
// is the name errors use. Error kInvalid for a text that parse_dotenv() refuses.

// Gives the variable a value, in single quotes: in the place of its last one, which is the one that
// counts, else on a new line at the end. Error kUnsupported for what the format cannot say: a value
// with `${`, which readers take for a reference, or a name they would not read.
std::string set_in_dotenv(std::string_view text, const std::string& file, const std::string& name,
                          std::string_view value);

// Takes every line of the variable away.
std::string remove_from_dotenv(std::string_view text, const std::string& file,
                               std::string_view name);

}  // namespace tidemark::project
