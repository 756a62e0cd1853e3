#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tidemark/db/batch_function.h"
#include "tidemark/schema/table_view.h"
#include "tidemark/workdir/part_file.h"

namespace tidemark::destination {

// The rows of a table's part files, offered under the table's complete columns; rows are numbered
// through all the files.
class PartSource final : public db::BatchSource {
 public:
  // Error kCorrupt when a part has a column that the table lacks.
  PartSource(const schema::TableView& table, std::span<const std::filesystem::path> files);

  const std::vector<db::BatchColumn>& columns() const override { return columns_; }
  uint64_t rows() const override { return rows_; }
  size_t batch_count() const override { return batches_.size(); }
  std::unique_ptr<db::BatchReader> make_reader() const override;

  // Names of the columns that parts have values for, in the table's order.
  const std::vector<std::string>& filled() const { return filled_; }

 private:
  class Reader;
  struct Batch {
    const workdir::PartReader* part;
    size_t chunk;
    uint64_t rows_before;  // in the parts before
  };
  void add_part(const std::filesystem::path& file);

  std::vector<std::unique_ptr<workdir::PartReader>> parts_;
  std::vector<Batch> batches_;
  std::vector<db::BatchColumn> columns_;
  std::vector<std::string> filled_;
  uint64_t rows_ = 0;
};

}  // namespace tidemark::destination
