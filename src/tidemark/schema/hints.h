#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tidemark/json/value.h"
#include "tidemark/schema/naming.h"

namespace tidemark::schema {

// What a resource says about its table, in the names of the source (dlt 1.31).
struct TableHints {
  std::string resource = {};
  std::string table = {};
  std::string write_disposition = "append";
  std::string merge_strategy = {};  // of disposition merge; empty = the destination's default
  std::vector<std::string> primary_key = {};  // when given, keys in columns do not count
  std::vector<std::string> merge_key = {};
  std::string cursor_path = {};  // empty = none
  json::Object columns = {};     // hints of columns by name, as dlt writes them
  std::optional<int> max_table_nesting = {};
};

// The partial table that dlt makes of them at extract, for Schema::apply_hints: normalized names,
// keys and a cursor that is a single field as incomplete columns, scd2's own columns. Error
// kInvalid names the resource and the hint that cannot be used.
json::Object table_from_hints(const TableHints& hints, const Naming& naming);

}  // namespace tidemark::schema
