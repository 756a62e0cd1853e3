#pragma once

#include <string>

#include "tidemark/json/value.h"

namespace tidemark::schema {

// The version hash of a stored schema (dlt 1.31): base64 of SHA3-256 over its JSON with
// sorted keys, without versions and hashes, then over the names of tables (sorted) and their
// columns (as stored).
std::string content_hash(const json::Object& document);

}  // namespace tidemark::schema
