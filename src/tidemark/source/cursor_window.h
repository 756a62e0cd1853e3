#pragma once

#include <string>

#include "tidemark/json/value.h"
#include "tidemark/source/incremental.h"

namespace tidemark::source {

// A stretch of a cursor's values that a run reads again: from <= value < to, as a user writes them.
struct CursorWindow {
  std::string from;
  std::string to;

  bool operator==(const CursorWindow&) const = default;
};

// The cursor's options for a run over that window, which neither reads nor changes what is stored
// (dlt 1.31 with an end_value). The texts are read as values of the type that the initial value or
// else the stored last value has; where there is neither, as a number if they are one. Error
// kInvalid for a text that cannot be of that type.
IncrementalOptions in_window(IncrementalOptions options, const CursorWindow& window,
                             const json::Value& stored_last_value);

}  // namespace tidemark::source
