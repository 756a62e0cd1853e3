#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/db/duckdb.h"
#include "tidemark/schema/table_view.h"

namespace tidemark::destination {

// Whether the file is a part of ours, not a job file of dlt's; by its name.
bool is_part_file(const std::filesystem::path& file);

// The rows of a table's job files as dlt 1.31 writes them for DuckDB (insert_values, jsonl,
// parquet), in a temporary table that goes with the transaction or with drop().
class DltRows {
 public:
  // Reads the files. target is the table's qualified name; connection must outlive it. Error
  // kUnsupported for a format that dlt does not load into DuckDB, kCorrupt for a file that is not
  // what its name says.
  DltRows(db::DuckDbConnection& connection, const schema::TableView& table, std::string target,
          std::span<const std::filesystem::path> files);

  uint64_t rows() const { return rows_; }
  // Names of the columns that the files have, in the table's order.
  const std::vector<std::string>& filled() const { return filled_; }
  // What stands for the rows in a FROM clause; the column `number` counts them.
  std::string sql(std::string_view number) const;
  // The same without rows whose row key the target has already.
  std::string sql_of_missing(std::string_view number, std::string_view row_key) const;
  void drop();

 private:
  void read(const std::filesystem::path& file);
  void read_insert_values(const std::filesystem::path& file);
  void read_json_lines(const std::filesystem::path& file);
  void read_parquet(const std::filesystem::path& file);

  db::DuckDbConnection& connection_;
  std::string target_;
  std::string name_;  // of the temporary table, quoted
  std::vector<std::string> columns_;
  std::set<std::string, std::less<>> found_;
  std::vector<std::string> filled_;
  uint64_t rows_ = 0;
};

}  // namespace tidemark::destination
