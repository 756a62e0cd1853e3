#pragma once

#include <string>
#include <string_view>

#include "tidemark/schema/schema.h"

namespace tidemark::destination {

// Error kInvalid when the schema has no such table.
schema::TableView table_of(const schema::Schema& schema, std::string_view name);

// The name of the first column that carries the hint; empty when none does.
std::string column_with(const schema::TableView& table, std::string_view hint);

}  // namespace tidemark::destination
