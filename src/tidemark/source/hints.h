#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "tidemark/config/node.h"
#include "tidemark/source/resource.h"

namespace tidemark::source {

// Hints of a resource as settings have them; names and meaning are dlt 1.31's, as_json is ours.
inline constexpr std::array<std::string_view, 8> kHintKeys = {
    "primary_key", "merge_key", "write_disposition", "table_name",
    "columns",     "selected",  "max_table_nesting", "as_json"};

// Puts the hints that node, a map, has over those in options; columns are merged by name, null
// takes a key, a table name or a nesting back. Error kInvalid with the place.
void read_hints(const config::Node& node, ResourceOptions& options);

// Keys of a cursor's map (dlt 1.31).
inline constexpr std::array<std::string_view, 10> kIncrementalKeys = {
    "cursor_path", "initial_value",
    "end_value",   "last_value_func",
    "primary_key", "row_order",
    "range_start", "range_end",
    "lag",         "on_cursor_value_missing"};

// The cursor that node, a map, declares: its path and options.
std::pair<std::string, IncrementalOptions> read_incremental(const config::Node& node);

}  // namespace tidemark::source
