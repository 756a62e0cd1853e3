#pragma once

#include "tidemark/json/value.h"

namespace tidemark::cli {

// The tables of a stored schema or of a schema update without what their keys say already: the
// names of tables and columns (dlt's --remove-defaults).
json::Object without_names(const json::Object& tables);

}  // namespace tidemark::cli
