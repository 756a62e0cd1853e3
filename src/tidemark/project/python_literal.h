#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tidemark/json/value.h"

namespace tidemark::project {

// A literal of Python made of lists, tuples, dictionaries with text as keys, text, numbers, True,
// False and None. Nothing for anything else.
std::optional<json::Value> read_python_literal(std::string_view text);

// The value as Python shows it: 'text', True, None, ['a', 1].
std::string python_literal(const json::Value& value);

}  // namespace tidemark::project
