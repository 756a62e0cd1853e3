#include "tidemark/pipeline/state_part.h"

#include "tidemark/base/datetime.h"
#include "tidemark/columns/builder.h"
#include "tidemark/columns/chunk.h"
#include "tidemark/json/typed.h"
#include "tidemark/normalize/row_ids.h"
#include "tidemark/schema/schema.h"
#include "tidemark/state/state_row.h"

namespace tidemark::pipeline {

namespace {

using columns::Layout;

// One row, column by column.
class Row {
 public:
  void add_text(std::string_view name, std::string_view value) {
    column(name, "text", Layout::kBytes).append_bytes(value);
  }
  void add_integer(std::string_view name, std::string_view type, int64_t value) {
    column(name, type, Layout::kInt64).append_int64(value);
  }
  void write(workdir::PartWriter& writer) const {
    columns::Chunk chunk;
    chunk.rows = 1;
    chunk.infos = infos_;
    for (const columns::ColumnBuilder& builder : builders_) chunk.views.push_back(builder.view());
    std::string encoded;
    columns::encode_chunk(chunk, encoded);
    writer.append(encoded, 1, infos_);
  }

 private:
  columns::ColumnBuilder& column(std::string_view name, std::string_view type, Layout layout) {
    infos_.push_back({std::string(name), std::string(type), layout, 0});
    return builders_.emplace_back(layout);
  }

  std::vector<columns::ColumnInfo> infos_;
  std::vector<columns::ColumnBuilder> builders_;
};

}  // namespace

StateRowPart write_state_part(const std::filesystem::path& directory,
                              const state::PipelineState& state, std::string_view load_id, Time now,
                              Random& random) {
  const std::string text = state::encode_state(state);
  normalize::RowIds ids(random);
  std::string id;
  ids.random_id(id);

  Row row;
  row.add_integer("version", "bigint", state.version());
  row.add_integer("engine_version", "bigint", state::kStateEngineVersion);
  row.add_text("pipeline_name", state.pipeline_name());
  row.add_text("state", text);
  row.add_integer("created_at", "timestamp", now.time_since_epoch().count());
  row.add_text("version_hash", state.version_hash());
  row.add_text(schema::kLoadIdColumn, load_id);
  row.add_text(schema::kIdColumn, id);

  StateRowPart result;
  workdir::PartWriter writer(directory / workdir::new_part_file_name(schema::kStateTable, random),
                             std::string(schema::kStateTable));
  row.write(writer);
  result.part = writer.finish();
  result.row.set("version", state.version());
  result.row.set("engine_version", state::kStateEngineVersion);
  result.row.set("pipeline_name", state.pipeline_name());
  result.row.set("state", text);
  result.row.set("created_at", json::make_typed(json::TypedKind::kDatetime, format_iso(now)));
  result.row.set("version_hash", state.version_hash());
  result.row.set(schema::kLoadIdColumn, load_id);
  return result;
}

}  // namespace tidemark::pipeline
