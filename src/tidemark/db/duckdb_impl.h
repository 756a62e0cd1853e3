#pragma once

// Private to this module: what a connection holds.

#include "tidemark/db/duckdb.h"
#include "tidemark/db/duckdb_api.h"

namespace tidemark::db {

struct DuckDbConnection::Impl {
  const DuckDbApi& api;
  duckdb_connection handle = nullptr;
};

}  // namespace tidemark::db
