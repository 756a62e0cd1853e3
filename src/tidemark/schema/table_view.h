#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/json/value.h"
#include "tidemark/schema/data_type.h"

namespace tidemark::schema {

// Whether that value of a column's property says no more than its absence.
bool is_default_hint(std::string_view hint, const json::Value& value);

// A column of a stored schema, seen through its JSON object: whatever else is written there stays
// and counts for the hash. Borrowed: valid until the schema changes.
class ColumnView {
 public:
  explicit ColumnView(const json::Object& object) : object_(&object) {}

  const json::Object& object() const { return *object_; }
  std::string_view name() const;
  // Nothing for an incomplete column: one that hints name and no data has typed yet.
  std::optional<DataType> data_type() const;
  bool is_complete() const { return data_type().has_value(); }
  bool is_nullable() const;   // absent = true
  bool has_timezone() const;  // absent = true
  std::optional<int> precision() const;
  std::optional<int> scale() const;
  // Whether a hint such as "primary_key", "unique", "row_key", "hard_delete" is set: written with
  // another value than its default.
  bool has_hint(std::string_view hint) const;

 private:
  const json::Object* object_;
};

// A table of a stored schema, in the same way.
class TableView {
 public:
  explicit TableView(const json::Object& object) : object_(&object) {}

  const json::Object& object() const { return *object_; }
  std::string_view name() const;
  // Of nested tables.
  std::optional<std::string_view> parent() const;
  std::optional<std::string_view> resource() const;
  std::optional<std::string_view> write_disposition() const;
  std::optional<std::string_view> merge_strategy() const;  // x-merge-strategy
  std::optional<int> max_nesting() const;                  // x-normalizer.max_nesting
  bool has_seen_data() const;                              // x-normalizer.seen-data
  std::vector<ColumnView> columns() const;                 // in stored order
  std::optional<ColumnView> find_column(std::string_view name) const;
  // Names of the columns that carry the hint, in stored order.
  std::vector<std::string> columns_with(std::string_view hint) const;

 private:
  const json::Object* object_;
};

}  // namespace tidemark::schema
