#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tidemark/columns/chunk.h"

namespace tidemark::workdir {

// A column as the texts of dlt's jobs need it.
struct JobColumn {
  columns::ColumnInfo info;
  bool has_timezone = true;  // timestamp only
};

// Rows as dlt 1.31 writes them in its job formats. columns are those of the whole file, views those
// of a chunk beside them: nullptr where the chunk lacks the column.
struct JobRows {
  const std::vector<JobColumn>& columns;
  std::vector<const columns::ColumnView*> views;
};

// `INSERT INTO {}("a","b")` and `VALUES`, each with a line break behind it.
void append_insert_header(const std::vector<JobColumn>& columns, std::string& out);
// `(1,E'x',NULL)`: SQL literals of DuckDB without a raw line break.
void append_tuple(const JobRows& rows, size_t row, std::string& out);
// `{"a":1,"b":"x"}`, without the columns that are null.
void append_json_line(const JobRows& rows, size_t row, std::string& out);

}  // namespace tidemark::workdir
