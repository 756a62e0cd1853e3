#include "tidemark/destination/duckdb_load.h"

#include <algorithm>
#include <deque>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/db/duckdb_error.h"
#include "tidemark/db/quote.h"
#include "tidemark/destination/chain_sql.h"
#include "tidemark/destination/dlt_rows.h"
#include "tidemark/destination/hints.h"
#include "tidemark/destination/part_source.h"
#include "tidemark/json/write.h"

namespace tidemark::destination {
namespace {

using schema::Schema;

// The new rows of one table of a chain, as long as its statements run.
struct OfferedParts {
  PartSource source;
  db::BatchOffer offer;

  OfferedParts(const schema::TableView& table, const TableParts& parts, db::BatchFunction& batches)
      : source(table, parts.files), offer(batches, source) {}
};

// A chain with the rows that its statements read. Empty when its root table does not exist.
class OpenChain {
 public:
  OpenChain(db::DuckDbConnection& connection, const Schema& schema, const TableChain& chain,
            const DuckDbDataset& dataset, db::BatchFunction& batches) {
    for (const TableParts& parts : chain.tables) {
      if (!dataset.has_table(parts.table)) {
        require_no_parts(parts);
        if (tables_.empty()) return;
        continue;
      }
      ChainTable& table = tables_.emplace_back();
      table.name = parts.table;
      table.target = dataset.qualified(parts.table);
      new_rows_.push_back(0);
      if (parts.files.empty()) continue;
      const schema::TableView view = table_of(schema, parts.table);
      if (is_part_file(parts.files.front())) {
        offer(view, parts, batches, table);
      } else {
        stage(connection, view, parts, table);
      }
    }
  }

  const std::vector<ChainTable>& tables() const { return tables_; }
  uint64_t new_rows(size_t table) const { return new_rows_[table]; }
  const std::string& warning() const { return warning_; }
  // Throws what the readers of part files threw, if they did.
  void rethrow() const {
    for (const auto& parts : parts_) parts->offer.rethrow();
  }
  // Drops what was made for the statements.
  void close() {
    for (DltRows& rows : staged_) rows.drop();
  }

 private:
  void offer(const schema::TableView& view, const TableParts& parts, db::BatchFunction& batches,
             ChainTable& table) {
    const OfferedParts& offered =
        *parts_.emplace_back(std::make_unique<OfferedParts>(view, parts, batches));
    new_rows_.back() = offered.source.rows();
    if (offered.source.rows() == 0) return;
    table.rows = offered.offer.sql();
    table.columns = offered.source.filled();
  }

  void stage(db::DuckDbConnection& connection, const schema::TableView& view,
             const TableParts& parts, ChainTable& table) {
    const DltRows& rows = staged_.emplace_back(connection, view, table.target, parts.files);
    new_rows_.back() = rows.rows();
    if (rows.rows() == 0) return;
    table.columns = rows.filled();
    const std::string row_key = column_with(view, "row_key");
    if (parts.may_be_loaded && !row_key.empty()) {
      table.rows = rows.sql_of_missing(db::kRowNumberColumn, row_key);
      return;
    }
    table.rows = rows.sql(db::kRowNumberColumn);
    if (parts.may_be_loaded) {
      warning_ =
          "dlt broke off while it loaded these rows; they have no row key that would tell "
          "whether they are here twice now";
    }
  }

  static void require_no_parts(const TableParts& parts) {
    if (parts.files.empty()) return;
    throw Error(
        ErrorCode::kNotFound,
        fmt::format("table {} does not exist, although the package has rows for it", parts.table));
  }

  std::vector<ChainTable> tables_;
  std::vector<uint64_t> new_rows_;  // by table
  std::vector<std::unique_ptr<OfferedParts>> parts_;
  std::deque<DltRows> staged_;
  std::string warning_;
};

// Whether two new root rows share a row key, so that nested rows may come twice under one survivor.
// Only rows that bring their own _dlt_id can do so.
bool has_repeated_row_keys(db::DuckDbConnection& connection, const OpenChain& chain,
                           const MergePlan& plan) {
  const ChainTable& root = chain.tables().front();
  if (plan.row_key.empty() || plan.primary_key.empty() || chain.tables().size() == 1) return false;
  db::DuckDbRows rows = connection.query(fmt::format(
      "SELECT count(DISTINCT {}) FROM {}", db::quote_identifier(plan.row_key), root.rows));
  rows.next();
  return static_cast<uint64_t>(rows.integer(0)) != chain.new_rows(0);
}

std::vector<LoadStep> merge_steps(db::DuckDbConnection& connection, const Schema& schema,
                                  const TableChain& chain, const OpenChain& open,
                                  std::string& warning) {
  if (chain.merge_strategy != "delete-insert") {
    throw Error(
        ErrorCode::kUnsupported,
        fmt::format("merge strategy {} is not supported; use delete-insert", chain.merge_strategy));
  }
  if (open.tables().front().rows.empty()) return {};
  MergePlan plan = make_merge_plan(schema, open.tables());
  if (!plan.has_keys()) {
    warning = "it has neither primary_key nor merge_key, so merge appended its rows";
  }
  plan.has_repeated_row_keys = has_repeated_row_keys(connection, open, plan);
  return delete_insert_steps(open.tables(), plan, db::kRowNumberColumn);
}

}  // namespace

DuckDbPackageLoad::DuckDbPackageLoad(db::DuckDbConnection& connection, db::BatchFunction& batches,
                                     DuckDbDataset& dataset, MemoryLimit& memory)
    : connection_(connection), batches_(batches), dataset_(dataset), memory_(memory) {
  connection_.execute("BEGIN TRANSACTION");
}

DuckDbPackageLoad::~DuckDbPackageLoad() {
  if (state_ == State::kCommitted) return;
  try {
    connection_.execute("ROLLBACK");
  } catch (const Error&) {
    // The failure that led here may have ended the transaction; what matters is that none is open.
  }
}

// Runs a step of the load. After a failure the transaction is spoilt, and DuckDB would not say so
// at COMMIT.
template <typename Body>
auto DuckDbPackageLoad::guarded(Body body) {
  if (state_ != State::kOpen) {
    throw Error(ErrorCode::kInternal, state_ == State::kCommitted
                                          ? "the package is committed already"
                                          : "the package has failed and can only be rolled back");
  }
  state_ = State::kFailed;
  try {
    auto result = body();
    state_ = State::kOpen;
    return result;
  } catch (const Error& error) {
    if (!db::is_out_of_memory(error)) throw;
    if (!memory_.grow()) {
      throw Error(error.code(), error.message() + "\nraise the destination's memory_limit");
    }
    throw Error(ErrorCode::kUnavailable,
                fmt::format("{}\nDuckDB may use {} from now on", error.message(),
                            memory_.value().empty() ? "80 % of the memory" : memory_.value()));
  }
}

void DuckDbPackageLoad::drop_tables(std::string_view schema_name,
                                    std::span<const std::string> tables) {
  guarded([&] {
    for (const std::string& table : tables) {
      connection_.execute("DROP TABLE IF EXISTS " + dataset_.qualified(table));
    }
    if (dataset_.has_table(schema::kVersionTable)) {
      connection_.execute(fmt::format("DELETE FROM {} WHERE schema_name = ?",
                                      dataset_.qualified(schema::kVersionTable)),
                          {schema_name});
    }
    return true;
  });
}

json::Object DuckDbPackageLoad::apply(const Schema& schema, std::span<const std::string> tables,
                                      Time now) {
  return guarded([&] {
    dataset_.create();
    std::vector<std::string> all = {std::string(schema::kVersionTable),
                                    std::string(schema::kLoadsTable)};
    std::ranges::copy_if(tables, std::back_inserter(all), [&](const std::string& table) {
      return std::ranges::find(all, table) == all.end();
    });
    json::Object applied = dataset_.migrate(schema, all);
    write_schema_row(schema, now);
    return applied;
  });
}

void DuckDbPackageLoad::write_schema_row(const Schema& schema, Time now) {
  const std::string table = dataset_.qualified(schema::kVersionTable);
  if (connection_
          .query(fmt::format("SELECT 1 FROM {} WHERE version_hash = ?", table),
                 {schema.version_hash()})
          .next()) {
    return;
  }
  connection_.execute(
      fmt::format("INSERT INTO {} (version, engine_version, inserted_at, schema_name, version_hash,"
                  " schema) VALUES (?, ?, ?, ?, ?, ?)",
                  table),
      {schema.version(), int64_t{schema::kEngineVersion}, now, schema.name(), schema.version_hash(),
       json::write(schema.document())});
}

void DuckDbPackageLoad::truncate_tables(std::span<const std::string> tables) {
  guarded([&] {
    for (const std::string& table : tables) {
      if (dataset_.has_table(table))
        connection_.execute("DELETE FROM " + dataset_.qualified(table));
    }
    return true;
  });
}

std::vector<LoadedTable> DuckDbPackageLoad::load(const Schema& schema, const TableChain& chain) {
  return guarded([&] {
    std::vector<LoadedTable> loaded;
    OpenChain open(connection_, schema, chain, dataset_, batches_);
    if (open.tables().empty()) return loaded;
    for (const ChainTable& table : open.tables()) loaded.push_back({table.name, 0, ""});
    loaded.front().warning = open.warning();
    try {
      std::vector<LoadStep> steps;
      if (chain.write_disposition == "merge") {
        steps = merge_steps(connection_, schema, chain, open, loaded.front().warning);
      } else if (chain.write_disposition == "replace") {
        steps = replace_steps(open.tables());
      } else {
        steps = append_steps(open.tables());
      }
      for (const LoadStep& step : steps) {
        const uint64_t rows = connection_.execute(step.sql);
        if (step.inserts) loaded[*step.inserts].rows = rows;
      }
      open.close();
    } catch (const Error&) {
      open.rethrow();
      throw;
    }
    return loaded;
  });
}

void DuckDbPackageLoad::commit(const LoadRow& row) {
  guarded([&] {
    const std::string table = dataset_.qualified(schema::kLoadsTable);
    connection_.execute(
        fmt::format(
            "INSERT INTO {} (load_id, schema_name, status, inserted_at, schema_version_hash)"
            " VALUES (?, ?, 0, ?, ?)",
            table),
        {row.load_id, row.schema_name, row.inserted_at, row.schema_version_hash});
    connection_.execute("COMMIT");
    // DuckDB answers COMMIT with success after a failed statement, and keeps nothing.
    if (!connection_
             .query(fmt::format("SELECT 1 FROM {} WHERE load_id = ? AND schema_name = ?", table),
                    {row.load_id, row.schema_name})
             .next()) {
      throw Error(
          ErrorCode::kInternal,
          fmt::format("load {} was committed, but the database does not have it", row.load_id));
    }
    return true;
  });
  state_ = State::kCommitted;
}

}  // namespace tidemark::destination
