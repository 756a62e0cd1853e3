#pragma once

#include "tidemark/json/value.h"
#include "tidemark/source/incremental.h"

namespace tidemark::source {

// last_value moved back by lag (forward for kMin), but never across initial_value. Units and
// formats are dlt's: numbers keep their kind; date-times and text in the shape of one move by
// seconds, dates by days, the shape of a text initial_value decides when it has one; text keeps its
// format. Error kInvalid for values that no lag can be applied to.
json::Value apply_lag(double lag, const json::Value& initial_value, const json::Value& last_value,
                      LastValue last_value_func);

}  // namespace tidemark::source
