#pragma once

#include <string>

#include "tidemark/db/batch_function.h"
#include "tidemark/schema/table_view.h"

namespace tidemark::destination {

// dlt's type of a complete column as DuckDB's, as in DDL. Error kUnsupported for a precision that
// DuckDB lacks.
std::string duckdb_type(const schema::ColumnView& column);

// How values of a complete column are offered to DuckDB, which casts them to the type above.
db::BatchColumn batch_column(const schema::ColumnView& column);

}  // namespace tidemark::destination
