#pragma once

#include "tidemark/db/sql_connection.h"

namespace tidemark::state {

// Which tables of Meltano's a database has.
enum class MeltanoSchema {
  kNone,   // none: Meltano would make them
  kKnown,  // those of Meltano 2.7.1 or later, as create_meltano_schema() makes them
  kNewer,  // marked with a revision that this version does not know
};

// Outside of a transaction. Error kUnsupported for tables of an older Meltano, and for tables of
// these names that bear no mark.
MeltanoSchema inspect_meltano_schema(db::SqlConnection& connection);

// Makes all four tables with the mark of Meltano 4.1, as its own migrations leave them, in one
// transaction; nothing when others made tables meanwhile. Error kConflict when they just do.
void create_meltano_schema(db::SqlConnection& connection);

}  // namespace tidemark::state
