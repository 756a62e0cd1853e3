#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/destination/destination.h"
#include "tidemark/schema/schema.h"

namespace tidemark::destination {

// A table of a chain and where its new rows are read from.
struct ChainTable {
  std::string name;
  std::string target;                // its qualified name in SQL
  std::string rows;                  // what stands for the new rows in FROM; empty = there are none
  std::vector<std::string> columns;  // those that the new rows fill
};

// A statement of a load, and the table of the chain whose rows it inserts.
struct LoadStep {
  std::string sql;
  std::optional<size_t> inserts = std::nullopt;
};

// Columns of a nested table.
struct NestedKeys {
  std::string link;  // names the root row
  std::string row_key;
};

// How a chain meets the rows that are there already, from the hints of its root table.
struct MergePlan {
  // Of the destination's rows those go for which all columns of one of the two keys are equal to a
  // new row's. Both empty: none go.
  std::vector<std::string> primary_key;
  std::vector<std::string> merge_key;
  std::string row_key;                 // of the root table; needed with nested tables
  std::vector<NestedKeys> nested;      // by table of the chain; the root's is empty
  std::string sort_column;             // decides between new rows of one primary key;
  bool is_descending = false;          // empty = the last row wins
  bool is_deduplicated = false;        // the new rows have no two of one primary key
  std::string deleted_condition;       // SQL for "this new row only deletes"; empty = none does
  bool has_repeated_row_keys = false;  // two new root rows may share a row key

  bool has_keys() const { return !primary_key.empty() || !merge_key.empty(); }
};

// From the schema, for the delete-insert strategy. Error kInvalid when a nested table below the
// first level has no link to its root.
MergePlan make_merge_plan(const schema::Schema& schema, const std::vector<ChainTable>& chain);

// The statements of each write disposition; chain holds the root first, and only tables that exist.
std::vector<LoadStep> append_steps(const std::vector<ChainTable>& chain);
std::vector<LoadStep> replace_steps(const std::vector<ChainTable>& chain);
// row_number is the column of every table's rows that counts them. Temporary tables are made and
// dropped.
std::vector<LoadStep> delete_insert_steps(const std::vector<ChainTable>& chain,
                                          const MergePlan& plan, std::string_view row_number);

}  // namespace tidemark::destination
