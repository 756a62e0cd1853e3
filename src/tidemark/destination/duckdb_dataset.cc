#include "tidemark/destination/duckdb_dataset.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/ascii.h"
#include "tidemark/db/quote.h"
#include "tidemark/destination/duckdb_types.h"
#include "tidemark/destination/hints.h"

namespace tidemark::destination {
namespace {

using schema::ColumnView;
using schema::Schema;
using schema::TableView;

// The complete columns that are not stored yet.
json::Object missing_columns(const TableView& table, const DuckDbDataset::Tables& stored) {
  const auto found = stored.find(ascii_lower(table.name()));
  json::Object missing;
  for (const ColumnView& column : table.columns()) {
    if (!column.is_complete()) continue;
    if (found != stored.end() && found->second.contains(ascii_lower(column.name()))) continue;
    missing.set(column.name(), column.object());
  }
  return missing;
}

// A nested table with what it takes over from its root, as dlt sees it at load time.
json::Object with_inherited_hints(const Schema& schema, const TableView& table) {
  json::Object object = table.object();
  if (!table.parent()) return object;
  const json::Object& root = table_of(schema, schema.root_of(table.name())).object();
  for (const std::string_view hint :
       {"write_disposition", "x-merge-strategy", "table_format", "file_format"}) {
    const json::Value* value = root.find(hint);
    if (value != nullptr && !object.contains(hint)) object.set(hint, *value);
  }
  return object;
}

std::string definition(const ColumnView& column, bool is_required) {
  return fmt::format("{} {}{}", db::quote_identifier(column.name()), duckdb_type(column),
                     is_required ? " NOT NULL" : "");
}

size_t depth(const Schema& schema, std::string_view table) {
  size_t levels = 0;
  for (auto view = schema.find_table(table); view && view->parent(); ++levels) {
    view = schema.find_table(*view->parent());
  }
  return levels;
}

}  // namespace

DuckDbDataset::DuckDbDataset(db::DuckDbConnection& connection, std::string name)
    : connection_(&connection), name_(std::move(name)) {
  db::DuckDbRows rows = connection.query("SELECT current_database()");
  rows.next();
  database_ = rows.text(0);
  qualified_name_ = db::quote_identifier(database_) + "." + db::quote_identifier(name_);
}

std::string DuckDbDataset::qualified(std::string_view table) const {
  return qualified_name_ + "." + db::quote_identifier(table);
}

bool DuckDbDataset::exists() const {
  return connection_
      ->query(
          "SELECT 1 FROM information_schema.schemata"
          " WHERE catalog_name = ? AND lower(schema_name) = lower(?)",
          {database_, name_})
      .next();
}

bool DuckDbDataset::has_table(std::string_view table) const {
  return connection_
      ->query(
          "SELECT 1 FROM information_schema.tables"
          " WHERE table_catalog = ? AND lower(table_schema) = lower(?)"
          " AND lower(table_name) = lower(?)",
          {database_, name_, table})
      .next();
}

DuckDbDataset::Tables DuckDbDataset::tables() const {
  Tables tables;
  db::DuckDbRows rows = connection_->query(
      "SELECT table_name, column_name FROM information_schema.columns"
      " WHERE table_catalog = ? AND lower(table_schema) = lower(?)",
      {database_, name_});
  while (rows.next()) tables[ascii_lower(rows.text(0))].insert(ascii_lower(rows.text(1)));
  return tables;
}

void DuckDbDataset::create() {
  if (!exists()) connection_->execute("CREATE SCHEMA " + qualified_name_);
}

json::Object DuckDbDataset::migrate(const Schema& schema, std::span<const std::string> tables) {
  const Tables stored = this->tables();
  json::Object applied;
  std::vector<TableView> linked;
  for (const std::string& name : tables) {
    const TableView table = table_of(schema, name);
    json::Object columns = missing_columns(table, stored);
    if (columns.empty()) continue;
    if (stored.contains(ascii_lower(name))) {
      add_columns(table, columns);
      if (columns.contains(column_with(table, "root_key"))) linked.push_back(table);
    } else {
      create_table(table, columns);
    }
    json::Object update = with_inherited_hints(schema, table);
    update.set("columns", std::move(columns));
    applied.set(name, std::move(update));
  }
  // Parents first: a child takes the link that its parent has.
  std::ranges::sort(linked, {},
                    [&](const TableView& table) { return depth(schema, table.name()); });
  for (const TableView& table : linked) fill_root_links(schema, table);
  return applied;
}

void DuckDbDataset::create_table(const TableView& table, const json::Object& columns) {
  std::string list;
  for (const auto& [name, object] : columns) {
    const ColumnView column(object.as_object());
    if (!list.empty()) list += ", ";
    list += definition(column, !column.is_nullable());
  }
  connection_->execute(fmt::format("CREATE TABLE {} ({})", qualified(table.name()), list));
}

void DuckDbDataset::add_columns(const TableView& table, const json::Object& columns) {
  const std::string target = qualified(table.name());
  const bool is_empty = !connection_->query(fmt::format("SELECT 1 FROM {} LIMIT 1", target)).next();
  for (const auto& [name, object] : columns) {
    const ColumnView column(object.as_object());
    connection_->execute(fmt::format("ALTER TABLE {} ADD COLUMN {}", target,
                                     definition(column, !column.is_nullable() && is_empty)));
  }
}

void DuckDbDataset::fill_root_links(const Schema& schema, const TableView& table) {
  const std::string link = db::quote_identifier(column_with(table, "root_key"));
  const std::string parent_link = db::quote_identifier(column_with(table, "parent_key"));
  const std::string target = qualified(table.name());
  const TableView parent = table_of(schema, *table.parent());
  if (!parent.parent()) {
    connection_->execute(fmt::format("UPDATE {} SET {} = {}", target, link, parent_link));
    return;
  }
  const std::string parent_root = column_with(parent, "root_key");
  const Tables stored = tables();
  const auto stored_parent = stored.find(ascii_lower(parent.name()));
  if (stored_parent == stored.end() || !stored_parent->second.contains(ascii_lower(parent_root)))
    return;
  connection_->execute(fmt::format(
      "UPDATE {} AS child SET {} = parent.{} FROM {} AS parent WHERE parent.{} = child.{}", target,
      link, db::quote_identifier(parent_root), qualified(parent.name()),
      db::quote_identifier(column_with(parent, "row_key")), parent_link));
}

}  // namespace tidemark::destination
