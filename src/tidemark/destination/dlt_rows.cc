#include "tidemark/destination/dlt_rows.h"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tidemark/base/error.h"
#include "tidemark/db/quote.h"
#include "tidemark/destination/insert_values.h"
#include "tidemark/source/byte_stream.h"
#include "tidemark/workdir/part_file.h"

namespace tidemark::destination {
namespace {

namespace fs = std::filesystem;

// What one statement brings to DuckDB's parser, which needs a hundred times as much memory.
constexpr size_t kStatementBytes = size_t{128} << 10;

// `jsonl` of orders.0123456789.0.jsonl.gz.
std::string format_of(const fs::path& file) {
  const std::string suffix = (file.extension() == ".gz" ? file.stem() : file).extension().string();
  return suffix.empty() ? suffix : suffix.substr(1);
}

// dlt compresses under names with and without .gz, so its readers look at the content.
bool is_gzip(const fs::path& file) {
  std::array<char, 2> start{};
  return source::read_fully(*source::open_file(file), start.data(), start.size()) == 2 &&
         start == std::array{'\x1f', '\x8b'};
}

}  // namespace

bool is_part_file(const fs::path& file) { return format_of(file) == workdir::kPartFormat; }

DltRows::DltRows(db::DuckDbConnection& connection, const schema::TableView& table,
                 std::string target, std::span<const fs::path> files)
    : connection_(connection),
      target_(std::move(target)),
      name_(db::quote_identifier(fmt::format("_tidemark_rows_{}", table.name()))) {
  for (const schema::ColumnView& column : table.columns()) {
    if (column.is_complete()) columns_.emplace_back(column.name());
  }
  connection_.execute(fmt::format("CREATE TEMP TABLE {} AS SELECT {} FROM {} LIMIT 0", name_,
                                  db::quote_identifiers(columns_), target_));
  for (const fs::path& file : files) {
    try {
      read(file);
    } catch (Error& error) {
      error.add_context(file.filename().string());
      throw;
    }
  }
  for (const std::string& column : columns_) {
    if (found_.contains(column)) filled_.push_back(column);
  }
}

std::string DltRows::sql(std::string_view number) const {
  return fmt::format("(SELECT *, rowid AS {} FROM {})", db::quote_identifier(number), name_);
}

std::string DltRows::sql_of_missing(std::string_view number, std::string_view row_key) const {
  const std::string key = db::quote_identifier(row_key);
  return fmt::format(
      "(SELECT *, rowid AS {0} FROM {1} AS n WHERE NOT EXISTS (SELECT 1 FROM {2} AS t WHERE t.{3} "
      "= "
      "n.{3}))",
      db::quote_identifier(number), name_, target_, key);
}

void DltRows::drop() { connection_.execute("DROP TABLE " + name_); }

void DltRows::read(const fs::path& file) {
  const std::string format = format_of(file);
  if (format == "insert_values") {
    read_insert_values(file);
  } else if (format == "jsonl") {
    read_json_lines(file);
  } else if (format == "parquet") {
    read_parquet(file);
  } else {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("the job format {} cannot be loaded into DuckDB: let dlt finish the "
                            "package, or give it up with `abort-packages`",
                            format));
  }
}

void DltRows::read_insert_values(const fs::path& file) {
  InsertValues values(source::decompressed(source::open_file(file), file.filename()),
                      file.filename());
  found_.insert(values.columns().begin(), values.columns().end());
  const std::string start =
      fmt::format("INSERT INTO {} ({}) VALUES ", name_, db::quote_identifiers(values.columns()));
  for (std::string tuples = values.next(kStatementBytes); !tuples.empty();
       tuples = values.next(kStatementBytes)) {
    rows_ += connection_.execute(start + tuples);
  }
}

// Absent keys are nulls; binary is base64, which dlt leaves as it is and we decode.
void DltRows::read_json_lines(const fs::path& file) {
  std::vector<std::string> types;
  std::vector<std::string> values;
  db::DuckDbRows described = connection_.query(
      fmt::format("SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM {})", name_));
  while (described.next()) {
    const std::string name(described.text(0));
    const bool is_binary = described.text(1) == "BLOB";
    types.push_back(fmt::format("{}: {}", db::quote_literal(name),
                                db::quote_literal(is_binary ? "VARCHAR" : described.text(1))));
    const std::string column = db::quote_identifier(name);
    values.push_back(is_binary ? fmt::format("from_base64({})", column) : column);
  }
  found_.insert(columns_.begin(), columns_.end());
  rows_ += connection_.execute(fmt::format(
      "INSERT INTO {} SELECT {} FROM read_json({}, format = 'newline_delimited', compression = {}, "
      "columns = {{{}}})",
      name_, fmt::join(values, ", "), db::quote_literal(file.string()),
      db::quote_literal(is_gzip(file) ? "gzip" : "uncompressed"), fmt::join(types, ", ")));
}

void DltRows::read_parquet(const fs::path& file) {
  const std::string from = fmt::format("read_parquet({})", db::quote_literal(file.string()));
  db::DuckDbRows described =
      connection_.query(fmt::format("SELECT column_name FROM (DESCRIBE SELECT * FROM {})", from));
  while (described.next()) found_.emplace(described.text(0));
  rows_ += connection_.execute(fmt::format("INSERT INTO {} BY NAME SELECT * FROM {}", name_, from));
}

}  // namespace tidemark::destination
