#include "tidemark/normalize/part.h"

namespace tidemark::normalize {

namespace {

void add_counts(std::map<ColumnKey, uint64_t>& to, const std::map<ColumnKey, uint64_t>& from) {
  for (const auto& [key, count] : from) to[key] += count;
}

}  // namespace

void Counts::add(const Counts& other) {
  add_counts(variant_values, other.variant_values);
  add_counts(rounded_decimals, other.rounded_decimals);
  add_counts(numbers_as_text, other.numbers_as_text);
  add_counts(dropped_values, other.dropped_values);
  add_counts(null_only_columns, other.null_only_columns);
  renamed_columns.insert(other.renamed_columns.begin(), other.renamed_columns.end());
  renamed_tables.insert(other.renamed_tables.begin(), other.renamed_tables.end());
  duplicate_keys += other.duplicate_keys;
}

void Part::clear() {
  tables.clear();
  changes.clear();
  claims.clear();
  counts = {};
  rows_read = 0;
  rows_kept = 0;
}

}  // namespace tidemark::normalize
