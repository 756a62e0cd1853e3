#pragma once

#include "tidemark/json/value.h"

namespace tidemark::json {

// The number as Python holds it and writes it again: integers as they are, 1e5 as 100000.0, 1E-7 as
// 1e-07, 1e400 as Infinity.
Number python_number(const Number& number);

// The value with all its numbers so.
Value with_python_numbers(Value value);

}  // namespace tidemark::json
