#pragma once

#include <string_view>

#include "tidemark/base/clock.h"
#include "tidemark/json/value.h"

namespace tidemark::state {

// Of a record as JSON: lease, history, unsaved state. Error kInvalid names the member that is not
// there, or no date and time.
const json::Value& member(const json::Value& record, std::string_view key);
Time time_member(const json::Value& record, std::string_view key);

}  // namespace tidemark::state
