#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "tidemark/base/clock.h"
#include "tidemark/db/duckdb.h"
#include "tidemark/json/value.h"
#include "tidemark/schema/schema.h"

namespace tidemark::destination {

// A dataset as a schema of an open DuckDB database. Names are compared as DuckDB compares them:
// without regard to the case of ASCII letters.
class DuckDbDataset {
 public:
  // connection must outlive it.
  DuckDbDataset(db::DuckDbConnection& connection, std::string name);

  // "database"."dataset": with the database's name, because a dataset of the same name would be
  // ambiguous.
  const std::string& qualified_name() const { return qualified_name_; }
  std::string qualified(std::string_view table) const;

  bool exists() const;
  bool has_table(std::string_view table) const;
  // Its tables and their columns, lower case.
  using Tables = std::map<std::string, std::set<std::string>>;
  Tables tables() const;

  // Makes the dataset when it is missing.
  void create();
  // Makes what the named tables lack; nothing is ever changed or dropped. A required column that
  // comes to a table with rows is made nullable; a link to the root row is filled by following the
  // parents. What was made: {table: partial table}, as dlt 1.31 records an applied update.
  json::Object migrate(const schema::Schema& schema, std::span<const std::string> tables);

 private:
  void create_table(const schema::TableView& table, const json::Object& columns);
  void add_columns(const schema::TableView& table, const json::Object& columns);
  void fill_root_links(const schema::Schema& schema, const schema::TableView& table);

  db::DuckDbConnection* connection_;
  std::string name_;
  std::string database_;
  std::string qualified_name_;
};

}  // namespace tidemark::destination
