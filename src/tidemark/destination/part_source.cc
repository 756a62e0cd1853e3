#include "tidemark/destination/part_source.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/destination/duckdb_types.h"

namespace tidemark::destination {

class PartSource::Reader final : public db::BatchReader {
 public:
  explicit Reader(const std::vector<Batch>& batches) : batches_(batches) {}

  const columns::Chunk& read(size_t batch) override {
    const Batch& from = batches_[batch];
    chunk_ = from.part->read(from.chunk, buffer_);
    chunk_.first_row += from.rows_before;
    return chunk_;
  }

 private:
  const std::vector<Batch>& batches_;
  workdir::PartReader::ChunkBuffer buffer_;
  columns::Chunk chunk_;
};

PartSource::PartSource(const schema::TableView& table,
                       std::span<const std::filesystem::path> files) {
  for (const std::filesystem::path& file : files) add_part(file);
  std::set<std::string_view> unknown;
  for (const auto& part : parts_) {
    for (const columns::ColumnInfo& info : part->columns()) unknown.insert(info.name);
  }
  for (const schema::ColumnView& column : table.columns()) {
    if (!column.is_complete()) continue;
    columns_.push_back(batch_column(column));
    if (unknown.erase(column.name()) > 0) filled_.emplace_back(column.name());
  }
  if (!unknown.empty()) {
    throw Error(
        ErrorCode::kCorrupt,
        fmt::format("a part of table {} has column {}, which the package's schema does not have",
                    table.name(), *unknown.begin()));
  }
}

void PartSource::add_part(const std::filesystem::path& file) {
  const auto& part = parts_.emplace_back(std::make_unique<workdir::PartReader>(file));
  for (size_t chunk = 0; chunk < part->chunk_count(); ++chunk) {
    batches_.push_back({part.get(), chunk, rows_});
  }
  rows_ += part->rows();
}

std::unique_ptr<db::BatchReader> PartSource::make_reader() const {
  return std::make_unique<Reader>(batches_);
}

}  // namespace tidemark::destination
