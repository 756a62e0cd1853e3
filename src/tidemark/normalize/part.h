#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/columns/column.h"
#include "tidemark/json/value.h"

namespace tidemark::normalize {

// A name of the destination and the path in the source's rows that took it first. table is empty
// for names of tables. path is a JSON pointer (RFC 6901) from the row.
struct Claim {
  std::string table;
  std::string name;
  std::string path;
};

// A column, for counts.
struct ColumnKey {
  std::string table;
  std::string column;
  auto operator<=>(const ColumnKey&) const = default;
};

// What did not go the plain way: nothing is lost or renamed without being counted here.
struct Counts {
  std::map<ColumnKey, uint64_t> variant_values;    // values that their column could not take
  std::map<ColumnKey, uint64_t> rounded_decimals;  // digits beyond the column's scale
  std::map<ColumnKey, uint64_t> numbers_as_text;   // of which no numeric type holds all digits
  std::map<ColumnKey, uint64_t> dropped_values;    // keys of rows that dlt's own columns are called
  std::map<ColumnKey, std::string> renamed_columns;   // second paths of one name, with their path
  std::map<std::string, std::string> renamed_tables;  // likewise
  std::map<ColumnKey, uint64_t> null_only_columns;    // seen with nothing but null in that part
  uint64_t duplicate_keys = 0;  // values that another one under the same key has replaced

  void add(const Counts& other);
};

// The rows of one page as columns, and what they add to the schema. Reused from page to page.
struct Part {
  struct Table {
    std::string name;
    uint64_t rows = 0;
    std::vector<columns::ColumnInfo> infos;
    std::string encoded;  // columns::encode_chunk
  };

  std::vector<Table> tables;          // those with rows, in order of first appearance
  std::vector<json::Object> changes;  // partial tables for Schema::update_table, in that order
  std::vector<Claim> claims;
  Counts counts;
  uint64_t rows_read = 0;
  uint64_t rows_kept = 0;

  void clear();
};

}  // namespace tidemark::normalize
