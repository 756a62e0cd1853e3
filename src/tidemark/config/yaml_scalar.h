#pragma once

#include <optional>
#include <string_view>

#include "tidemark/json/value.h"

namespace tidemark::config {

// What a plain scalar is in the core schema of YAML 1.2 (section 10.3.2): null, boolean, number,
// else text. With two additions, so that a project file means to us what it means to Meltano:
// numbers may be `0b11` and have `_` between their digits, and a date with a time becomes its ISO
// text. A number keeps its spelling as far as JSON has it. Nothing for infinities and NaN, which
// JSON does not have.
std::optional<json::Value> resolve_plain_scalar(std::string_view text);

}  // namespace tidemark::config
