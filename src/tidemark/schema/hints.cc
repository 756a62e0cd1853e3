#include "tidemark/schema/hints.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "tidemark/base/error.h"
#include "tidemark/json/path.h"
#include "tidemark/schema/data_type.h"
#include "tidemark/schema/schema.h"

namespace tidemark::schema {
namespace {

constexpr std::array<std::string_view, 4> kDispositions = {"append", "replace", "merge", "skip"};
constexpr std::array<std::string_view, 5> kStrategies = {"delete-insert", "scd2", "upsert",
                                                         "insert-only", "cdc"};

void check_choice(const TableHints& hints, std::string_view what, std::string_view value,
                  std::span<const std::string_view> choices) {
  if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("resource `{}`: {} `{}`: expected {}", hints.resource, what, value,
                            fmt::join(choices, ", ")));
  }
}

// The hints of a column with its name; "complex" is what json was called.
json::Object explicit_column(const TableHints& hints, const std::string& name,
                             const json::Value& column) {
  const auto fail = [&](std::string_view expected) {
    throw Error(ErrorCode::kInvalid, fmt::format("resource `{}`: columns.{}: expected {}",
                                                 hints.resource, name, expected));
  };
  if (!column.is_object()) {
    fail("an object of hints");
  }
  json::Object result = column.as_object();
  json::Value* type = result.find("data_type");
  if (type != nullptr && type->is_string() && type->as_string() == "complex") {
    *type = "json";
  }
  const bool is_typed = type != nullptr && !type->is_null();
  if (is_typed && (!type->is_string() || !data_type_from(type->as_string()))) {
    fail("one of dlt's data types as data_type");
  }
  result.set("name", name);
  return result;
}

json::Object explicit_columns(const TableHints& hints) {
  json::Object columns;
  for (const auto& [name, column] : hints.columns) {
    columns.set(name, explicit_column(hints, name, column));
  }
  return columns;
}

void apply_key(json::Object& columns, std::string_view hint, const std::vector<std::string>& key) {
  if (key.empty()) {
    return;
  }
  for (auto& [name, column] : columns) {
    column.as_object().erase(hint);
  }
  for (const std::string& name : key) {
    if (!columns.contains(name)) {
      columns.set(name,
                  json::Object{{"name", name}, {"nullable", false}, {std::string(hint), true}});
      continue;
    }
    json::Object& column = columns.find(name)->as_object();
    column.set(hint, true);
    if (!column.contains("nullable")) {
      column.set("nullable", false);
    }
  }
}

// The period in which a version of a record counts, and the hash that tells versions apart: the row
// id, which is therefore not unique any more.
void add_scd2_columns(json::Object& columns) {
  columns.set("_dlt_valid_from", json::Object{{"name", "_dlt_valid_from"},
                                              {"data_type", "timestamp"},
                                              {"nullable", true},
                                              {"x-valid-from", true}});
  columns.set("_dlt_valid_to", json::Object{{"name", "_dlt_valid_to"},
                                            {"data_type", "timestamp"},
                                            {"nullable", true},
                                            {"x-valid-to", true},
                                            {"x-active-record-timestamp", nullptr}});
  columns.set(kIdColumn, json::Object{{"name", kIdColumn},
                                      {"nullable", false},
                                      {"x-row-version", true},
                                      {"unique", false},
                                      {"row_key", false}});
}

void add_cursor_column(json::Object& columns, const std::string& cursor_path) {
  if (cursor_path.empty()) {
    return;
  }
  const json::Path path = json::Path::parse(cursor_path);
  const std::optional<std::string_view> field = path.single_field();
  if (!field) {
    return;
  }
  if (!columns.contains(*field)) {
    columns.set(*field, json::Object{{"name", *field}});
  }
  columns.find(*field)->as_object().set("incremental", true);
}

// Under their names in the destination. Of columns that come to one name the hints add up.
json::Object normalize_columns(const json::Object& columns, const Naming& naming) {
  json::Object result;
  for (const auto& [name, value] : columns) {
    json::Object column = value.as_object();
    const std::string normalized = naming.normalize_name(name);
    column.set("name", normalized);
    json::Value* known = result.find(normalized);
    if (known == nullptr) {
      result.set(normalized, std::move(column));
      continue;
    }
    for (const auto& [hint, hint_value] : column) {
      if (!is_default_hint(hint, hint_value)) {
        known->as_object().set(hint, hint_value);
      }
    }
  }
  return result;
}

}  // namespace

json::Object table_from_hints(const TableHints& hints, const Naming& naming) {
  const bool is_merge = hints.write_disposition == "merge";
  check_choice(hints, "write_disposition", hints.write_disposition, kDispositions);
  json::Object columns = explicit_columns(hints);
  apply_key(columns, "primary_key", hints.primary_key);
  apply_key(columns, "merge_key", hints.merge_key);
  json::Object table = {{"columns", nullptr}};  // keys in dlt's order, columns filled in below
  if (!is_merge) {
    table.set("write_disposition", hints.write_disposition);
  }
  if (hints.max_table_nesting) {
    table.set("x-normalizer", json::Object{{"max_nesting", *hints.max_table_nesting}});
  }
  if (is_merge && !hints.merge_strategy.empty()) {
    check_choice(hints, "merge strategy", hints.merge_strategy, kStrategies);
    table.set("x-merge-strategy", hints.merge_strategy);
    if (hints.merge_strategy == "scd2") {
      add_scd2_columns(columns);
    }
  }
  table.set("write_disposition", hints.write_disposition);
  add_cursor_column(columns, hints.cursor_path);
  table.set("columns", normalize_columns(columns, naming));
  table.set("name", naming.normalize_name(hints.table));
  table.set("resource", hints.resource);
  return table;
}

}  // namespace tidemark::schema
