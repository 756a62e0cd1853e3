#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tidemark/json/node.h"

namespace tidemark::schema {

// What a json column holds of a value: compact JSON, values with a typed marker as plain strings.
std::string to_json_text(json::Node value);
// The same of JSON in a text; nothing when it does not parse.
std::optional<std::string> parse_json_text(std::string_view text);

}  // namespace tidemark::schema
