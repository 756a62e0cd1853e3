#pragma once

#include <string_view>

#include "tidemark/json/value.h"

namespace tidemark::schema {

// Whether it can name a schema: a Python identifier of at most 64 characters, as dlt wants it. Such
// a name is safe as part of a file name.
bool is_schema_name(std::string_view name);

// Error kInvalid, which says where, unless the document of engine 11 has everything the typed views
// rely on: a name, the two standard tables, tables and columns that are objects, known data types,
// parents that exist and form no ring, settings of the right kinds whose patterns can be used.
void check_document(const json::Object& document);

}  // namespace tidemark::schema
