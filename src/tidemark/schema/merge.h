#pragma once

#include "tidemark/json/value.h"

namespace tidemark::schema {

// How compound hints (primary_key, merge_key, partition, cluster, incremental) of a partial table
// meet those of the table: they add to them, or replace them in every column.
enum class CompoundHints { kAdd, kReplace };

// Merges a partial table into the table of the same name by dlt's rules (schema.h, update_table).
// Both have a "columns" object.
void merge_table(json::Object& table, const json::Object& partial, CompoundHints compound);

}  // namespace tidemark::schema
