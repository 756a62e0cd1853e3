#pragma once

#include <string>

#include "tidemark/json/value.h"

namespace tidemark::cli {

// The value in YAML's block style, two blanks a level, keys in their order. Text that a YAML 1.1
// or 1.2 reader could take for something else is quoted.
std::string yaml_text(const json::Value& value);

}  // namespace tidemark::cli
