#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "tidemark/destination/destination.h"
#include "tidemark/json/value.h"

namespace tidemark::destination {

// Makes a destination from its type, as users ("duckdb") or dlt's state ("dlt.destinations.duckdb")
// name it, and its options. Error kUnsupported for a type that does not exist, kInvalid for an
// option that the type does not know or take.
std::unique_ptr<Destination> make_destination(std::string_view type, const json::Object& options);

// "duckdb" for "dlt.destinations.duckdb"; any other text as it is.
std::string_view short_type(std::string_view type);

// The types there are, as users name them.
std::vector<std::string_view> destination_types();

}  // namespace tidemark::destination
