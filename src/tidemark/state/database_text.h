#pragma once

#include <string>
#include <string_view>

#include "tidemark/base/datetime.h"

namespace tidemark::state {

// `save 'x'`: how an error about one thing in the system database begins.
std::string operation(std::string_view verb, std::string_view name);

// A timestamp as Meltano stores it: `2026-11-30 12:46:48.767211`, always with six digits, without
// its offset.
std::string timestamp_text(const DateTime& time);
// The same in UTC.
std::string timestamp_text(Time time);

}  // namespace tidemark::state
