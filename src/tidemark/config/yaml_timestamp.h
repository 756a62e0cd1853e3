#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidemark::config {

// The ISO text, as Python's isoformat() has it, of a plain scalar that YAML 1.1 takes for a date
// with a time: `2026-01-02 3:04:05` is `2026-01-02T03:04:05`. Nothing for any other text, also for
// a day or time that does not exist.
std::optional<std::string> timestamp_text(std::string_view plain);

}  // namespace tidemark::config
