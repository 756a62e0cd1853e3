#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/os/environment.h"
#include "tidemark/project/variables.h"

namespace tidemark::project {

// One `NAME=VALUE` of a .env file as it stands there, references not replaced. The places are bytes
// of the text.
struct DotenvAssignment {
  std::string name;
  std::optional<std::string> value = {};  // nothing without `=`
  int line = 0;                           // from 1
  size_t begin = 0;                       // of `export` or the name
  size_t value_begin = 0;                 // with quotes; behind the name when there is no `=`
  size_t value_end = 0;
  size_t end = 0;  // of the line: behind a comment, in front of the line break
};

// What python-dotenv finds in such a file: `export`, comments, both kinds of quotes with their
// escapes, values over several lines. Error kInvalid with file and line for what python-dotenv
// skips with a warning. file is the name errors use.
std::vector<DotenvAssignment> parse_dotenv(std::string_view text, const std::string& file);

// The variables of that text: `${NAME}` and `${NAME:-default}` are replaced from earlier lines,
// else from process. A name without `=` is not set.
Variables read_dotenv(std::string_view text, const std::string& file,
                      const os::Environment& process);

}  // namespace tidemark::project
