#pragma once

// Private to this module: values of a batch written into DuckDB's vectors.

#include <cstddef>
#include <cstdint>

#include "tidemark/columns/column.h"
#include "tidemark/db/batch_function.h"
#include "tidemark/db/duckdb_api.h"

namespace tidemark::db {

columns::Layout layout_of(BatchType type);

// The caller destroys it.
duckdb_logical_type make_logical_type(const DuckDbApi& api, const BatchColumn& column);

// Writes rows [from, from + rows) of view, whose layout is right, into an empty vector. from is a
// multiple of 64.
void write_vector(const DuckDbApi& api, duckdb_vector vector, const columns::ColumnView& view,
                  size_t from, size_t rows);
void write_nulls(const DuckDbApi& api, duckdb_vector vector, size_t rows);
// first, first + 1, ...
void write_row_numbers(const DuckDbApi& api, duckdb_vector vector, uint64_t first, size_t rows);

}  // namespace tidemark::db
