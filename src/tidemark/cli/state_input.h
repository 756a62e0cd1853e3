#pragma once

#include <string>
#include <string_view>

#include "tidemark/cli/console.h"
#include "tidemark/cli/state_arguments.h"
#include "tidemark/json/value.h"

namespace tidemark::cli {

// The bytes of a file, or of standard input for `-`.
std::string read_input(const Console& console, const std::string& file);

// As Python reads it. Error kInvalid names the place of the fault; when the text is several
// documents, one a line, it says so.
json::Value parse_json(std::string_view text);

// Exactly one of text and file; else Error kInvalid, which also names `other` when there is one.
json::Value read_state(const Console& console, const StateInput& input,
                       std::string_view other = {});

// Error kInvalid when Meltano would not take the state.
void validate_state(const json::Value& state, bool knows_no_validate);

}  // namespace tidemark::cli
