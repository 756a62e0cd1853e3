#pragma once

#include <memory>

#include "tidemark/db/batch_function.h"
#include "tidemark/destination/destination.h"
#include "tidemark/destination/duckdb_dataset.h"
#include "tidemark/destination/memory_limit.h"

namespace tidemark::destination {

// A package on its way into a DuckDB dataset: one transaction from the constructor to commit(). All
// four must outlive it. When DuckDB runs out of memory and memory can grow, the Error is
// kUnavailable: another attempt has more.
class DuckDbPackageLoad final : public PackageLoad {
 public:
  DuckDbPackageLoad(db::DuckDbConnection& connection, db::BatchFunction& batches,
                    DuckDbDataset& dataset, MemoryLimit& memory);
  ~DuckDbPackageLoad() override;

  void drop_tables(std::string_view schema_name, std::span<const std::string> tables) override;
  json::Object apply(const schema::Schema& schema, std::span<const std::string> tables,
                     Time now) override;
  void truncate_tables(std::span<const std::string> tables) override;
  std::vector<LoadedTable> load(const schema::Schema& schema, const TableChain& chain) override;
  void commit(const LoadRow& row) override;

 private:
  template <typename Body>
  auto guarded(Body body);
  void write_schema_row(const schema::Schema& schema, Time now);

  db::DuckDbConnection& connection_;
  db::BatchFunction& batches_;
  DuckDbDataset& dataset_;
  MemoryLimit& memory_;
  enum class State { kOpen, kFailed, kCommitted } state_ = State::kOpen;
};

}  // namespace tidemark::destination
