#pragma once

#include <optional>

#include "tidemark/json/value.h"
#include "tidemark/runner/prepared_plugin.h"

namespace tidemark::runner {

// Writes the state that a tap is to start from: the file that the extra `state` names, else
// `start`. The file; nothing when the tap takes no state or there is none. Error kNotFound for a
// file that the extra names and that is not there.
std::optional<os::Path> write_state(const RunContext& context, const PreparedPlugin& tap,
                                    const std::optional<json::Value>& start, bool is_full_refresh);

}  // namespace tidemark::runner
