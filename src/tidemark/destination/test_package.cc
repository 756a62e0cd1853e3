#include "tidemark/destination/test_package.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "tidemark/columns/builder.h"
#include "tidemark/columns/chunk.h"
#include "tidemark/json/read.h"
#include "tidemark/workdir/part_file.h"

namespace tidemark::destination {
namespace {

using columns::ColumnBuilder;
using columns::Layout;
using schema::DataType;

constexpr Time kNow{std::chrono::microseconds(1'704'164'645'678'900)};

Layout layout_of(DataType type) {
  switch (type) {
    case DataType::kBool:
      return Layout::kBool;
    case DataType::kDate:
      return Layout::kInt32;
    case DataType::kBigint:
    case DataType::kTimestamp:
    case DataType::kTime:
      return Layout::kInt64;
    case DataType::kDouble:
      return Layout::kDouble;
    case DataType::kDecimal:
    case DataType::kWei:
      return Layout::kInt128;
    case DataType::kText:
    case DataType::kJson:
    case DataType::kBinary:
      return Layout::kBytes;
  }
  return Layout::kBytes;
}

columns::Int128 int128_from(std::string_view digits) {
  columns::Int128 value = 0;
  for (const char c : digits) {
    if (c != '-') value = value * 10 + (c - '0');
  }
  return digits.starts_with('-') ? -value : value;
}

void append(ColumnBuilder& builder, const json::Value* value) {
  if (value == nullptr || value->is_null()) return builder.append_null();
  switch (builder.layout()) {
    case Layout::kBool:
      return builder.append_bool(value->as_bool());
    case Layout::kInt32:
      return builder.append_int32(static_cast<int32_t>(value->as_int64()));
    case Layout::kInt64:
      return builder.append_int64(value->as_int64());
    case Layout::kDouble:
      return builder.append_double(value->as_number().to_double());
    case Layout::kInt128:
      return builder.append_int128(int128_from(value->as_string()));
    case Layout::kBytes:
      return builder.append_bytes(value->as_string());
  }
}

// The chunk holds only columns that one of the rows has.
void write_chunk(workdir::PartWriter& writer, const schema::TableView& table,
                 std::span<const json::Value> rows) {
  columns::Chunk chunk;
  chunk.rows = rows.size();
  std::vector<ColumnBuilder> builders;
  for (const schema::ColumnView& column : table.columns()) {
    if (!column.is_complete()) continue;
    if (std::ranges::none_of(rows,
                             [&](const json::Value& row) { return row.find(column.name()); })) {
      continue;
    }
    const DataType type = *column.data_type();
    chunk.infos.push_back({std::string(column.name()), std::string(to_string(type)),
                           layout_of(type),
                           type == DataType::kDecimal ? column.scale().value_or(9) : 0});
    ColumnBuilder& builder = builders.emplace_back(layout_of(type));
    for (const json::Value& row : rows) append(builder, row.find(column.name()));
  }
  for (const ColumnBuilder& builder : builders) chunk.views.push_back(builder.view());
  std::string encoded;
  encode_chunk(chunk, encoded);
  writer.append(encoded, chunk.rows, chunk.infos);
}

}  // namespace

schema::Schema make_schema(std::string_view tables) {
  schema::Schema schema = schema::Schema::make("test_schema");
  for (const json::Value& table : rows_from(tables)) {
    schema.update_table(table.as_object());
  }
  schema.bump();
  return schema;
}

Rows rows_from(std::string_view text) { return json::read(text).as_array(); }

std::filesystem::path write_part(const std::filesystem::path& folder, const schema::Schema& schema,
                                 const std::string& table, const Rows& rows,
                                 size_t rows_per_chunk) {
  const auto files = std::distance(std::filesystem::directory_iterator(folder), {});
  const std::filesystem::path file = folder / fmt::format("part{:010}.0.columns", files);
  workdir::PartWriter writer(file, table);
  for (size_t i = 0; i < rows.size(); i += rows_per_chunk) {
    const size_t count = std::min(rows_per_chunk, rows.size() - i);
    write_chunk(writer, *schema.find_table(table), std::span(rows).subspan(i, count));
  }
  writer.finish();
  return file;
}

std::vector<std::string> ask(Session& session, std::string_view sql) {
  TextSink sink;
  session.query(sql, sink);
  return sink.lines;
}

Session& TestDataset::session() {
  if (session_ == nullptr) session_ = destination_->connect(kDataset, Access::kWrite);
  return *session_;
}

TableChain TestDataset::chain(const schema::Schema& schema, const std::string& root,
                              const std::map<std::string, Rows>& rows) {
  const schema::TableView table = *schema.find_table(root);
  TableChain chain{std::string(table.write_disposition().value_or("append")),
                   std::string(table.merge_strategy().value_or("delete-insert")),
                   {}};
  for (const std::string& name : schema.table_chain(root)) {
    TableParts& parts = chain.tables.emplace_back(TableParts{name, {}});
    const auto found = rows.find(name);
    if (found != rows.end()) {
      parts.files.push_back(write_part(folder(), schema, name, found->second));
    }
  }
  return chain;
}

std::vector<LoadedTable> TestDataset::load(const schema::Schema& schema, const TableChain& chain) {
  std::vector<std::string> names;
  for (const TableParts& parts : chain.tables) names.push_back(parts.table);
  const std::unique_ptr<PackageLoad> package = session().begin();
  package->apply(schema, names, kNow);
  std::vector<LoadedTable> loaded = package->load(schema, chain);
  package->commit({fmt::format("1704164645.{}", ++packages_), std::string(schema.name()),
                   std::string(schema.version_hash()), kNow});
  return loaded;
}

}  // namespace tidemark::destination
