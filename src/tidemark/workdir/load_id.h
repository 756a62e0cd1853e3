#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tidemark/base/clock.h"

namespace tidemark::workdir {

// The unix time that a load id is; nothing for any other text.
std::optional<double> parse_load_id(std::string_view load_id);

// The id of the time now or, when the clock is behind, of the next number above newest. Always with
// a decimal point: dlt orders ids by their text.
std::string make_load_id(Time now, double newest);

}  // namespace tidemark::workdir
