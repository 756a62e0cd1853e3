#pragma once

#include <string>
#include <string_view>

#include "tidemark/os/environment.h"

namespace tidemark::project {

// The variables of a .env file, read as python-dotenv reads it: `export`, comments, both kinds of
// quotes with their escapes, values over several lines, `${NAME}` and `${NAME:-default}` from
// earlier lines, else from process. A name without `=` is not set. Error kInvalid with file and
// line for what python-dotenv skips with a warning. file is the name errors use.
os::Environment::Variables read_dotenv(std::string_view text, const std::string& file,
                                       const os::Environment& process);

}  // namespace tidemark::project
