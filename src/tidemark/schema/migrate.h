#pragma once

#include <string_view>

#include "tidemark/json/value.h"

namespace tidemark::schema {

// What normalizers.json.module of a schema says.
inline constexpr std::string_view kRelationalModule = "dlt.common.normalizers.json.relational";

// Brings a stored document of an older engine to engine 11 as dlt 1.31 does, and completes it:
// names of tables and columns from their keys, write_disposition and resource of root tables, no
// leftovers of columns that only ever saw null. Does not touch version and hash. Error kInvalid for
// a document that lacks what its engine must have, kUnsupported for a newer engine.
void migrate_document(json::Object& document);

}  // namespace tidemark::schema
