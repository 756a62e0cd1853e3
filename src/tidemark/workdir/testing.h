#pragma once

#include <chrono>
#include <set>
#include <string>

#include "tidemark/base/clock.h"
#include "tidemark/base/random.h"
#include "tidemark/columns/builder.h"
#include "tidemark/os/files.h"
#include "tidemark/os/temp_directory.h"
#include "tidemark/workdir/working_directory.h"

// What the tests of this module share.
namespace tidemark::workdir::testing {

inline constexpr Time kNow{std::chrono::microseconds(1'796'038'212'267'203)};

// A pipelines directory with one pipeline `shop`, opened for writing.
struct Shop {
  os::TempDirectory directory;
  ManualClock clock{kNow};
  SystemRandom random;

  os::Path root() const { return directory / "shop"; }
  std::unique_ptr<WorkingDirectory> open(
      WorkingDirectory::Access access = WorkingDirectory::Access::kWrite) {
    return WorkingDirectory::open(directory.path(), "shop", access, clock, random);
  }
};

inline schema::Schema shop_schema() {
  schema::Schema schema = schema::Schema::make("shop");
  schema.update_table({{"name", "orders"},
                       {"columns", json::Object{{"id", json::Object{{"name", "id"},
                                                                    {"data_type", "bigint"},
                                                                    {"nullable", true}}}}},
                       {"write_disposition", "append"},
                       {"resource", "orders"}});
  schema.bump();
  return schema;
}

inline state::PipelineState fresh_state() {
  return state::PipelineState::create("shop", "/somewhere");
}

// Rows 0..rows-1 of one column.
inline PartSummary write_part(const os::Path& folder, const std::string& table, size_t rows) {
  columns::ColumnBuilder builder(columns::Layout::kInt64);
  for (size_t i = 0; i < rows; ++i) builder.append_int64(static_cast<int64_t>(i));
  columns::Chunk chunk;
  chunk.rows = rows;
  chunk.infos = {{"id", "bigint", columns::Layout::kInt64, 0}};
  chunk.views = {builder.view()};
  std::string encoded;
  columns::encode_chunk(chunk, encoded);
  PartWriter writer(folder / (table.substr(0, 180) + ".0123456789.0.columns"), table);
  writer.append(encoded, rows, chunk.infos);
  return writer.finish();
}

inline PackageContent content_of(std::vector<PartSummary> parts) {
  schema::Schema schema = shop_schema();
  json::Object updates{{"orders", schema.find_table("orders")->object()}};
  return {.schema = std::move(schema),
          .schema_updates = std::move(updates),
          .parts = std::move(parts),
          .losses = {.variant_columns = 1},
          .replaced_tables = {},
          .dropped_tables = {},
          .truncated_tables = {},
          .refresh = std::nullopt,
          .pipeline_state = json::Object{{"version", 1}, {"state", "e30="}},
          .state = json::Object{{"pipeline_name", "shop"}}};
}

// Seals a package with a part for each table; its id.
inline std::string seal_package(WorkingDirectory& directory,
                                const std::vector<std::string>& tables = {"orders"}) {
  std::string id = directory.new_load_id(std::nullopt);
  std::unique_ptr<NewPackage> package = directory.begin_package(id);
  std::vector<PartSummary> parts;
  for (const std::string& table : tables) {
    parts.push_back(write_part(package->job_directory(), table, 3));
  }
  package->seal(content_of(std::move(parts)));
  return id;
}

// Everything below, relative, folders with a slash at the end.
inline std::set<std::string> tree(const os::Path& root) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    std::string name = std::filesystem::relative(entry.path(), root).native();
    names.insert(entry.is_directory() ? name + "/" : name);
  }
  return names;
}

}  // namespace tidemark::workdir::testing
