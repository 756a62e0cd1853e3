#include "tidemark/destination/duckdb.h"

#include <utility>

#include <fmt/format.h>

#include "tidemark/base/base64.h"
#include "tidemark/base/error.h"
#include "tidemark/base/zlib.h"
#include "tidemark/db/batch_function.h"
#include "tidemark/db/duckdb.h"
#include "tidemark/db/quote.h"
#include "tidemark/destination/duckdb_dataset.h"
#include "tidemark/destination/duckdb_load.h"
#include "tidemark/os/files.h"

namespace tidemark::destination {
namespace {

constexpr size_t kMaxIdentifierLength = 65'536;

// Half of DuckDB's own: with two threads each had less than one of a table of 200,000 rows, and
// none was written in parallel.
constexpr size_t kRowGroupSize = 61'440;

// A transaction that cannot write, over at the end of its scope.
class ReadOnlyTransaction {
 public:
  explicit ReadOnlyTransaction(db::DuckDbConnection& connection) : connection_(connection) {
    connection_.execute("BEGIN TRANSACTION READ ONLY");
  }
  ~ReadOnlyTransaction() {
    try {
      connection_.execute("ROLLBACK");
    } catch (const Error&) {
      // Nothing was written; the connection's end ends it.
    }
  }
  ReadOnlyTransaction(const ReadOnlyTransaction&) = delete;
  ReadOnlyTransaction& operator=(const ReadOnlyTransaction&) = delete;

 private:
  db::DuckDbConnection& connection_;
};

class DuckDbSession final : public Session {
 public:
  DuckDbSession(const db::DuckDbOptions& options, std::string dataset, MemoryLimit& memory)
      : database_(db::DuckDbDatabase::open(options)),
        connection_(database_->connect()),
        batches_(*connection_),
        dataset_(*connection_, std::move(dataset)),
        memory_(memory),
        is_read_only_(options.is_read_only) {}

  bool has_dataset() override { return dataset_.exists(); }
  bool has_state_tables() override {
    return dataset_.has_table(schema::kStateTable) && dataset_.has_table(schema::kLoadsTable);
  }
  std::optional<StateRow> newest_state(std::string_view pipeline_name) override;
  std::optional<std::string> newest_schema(std::string_view schema_name) override;
  bool is_committed(std::string_view load_id) override;
  std::optional<std::string> newest_load_id() override;
  std::unique_ptr<PackageLoad> begin() override;
  void query(std::string_view sql, RowSink& sink) override;
  void interrupt() override { connection_->interrupt(); }

 private:
  void describe(const std::string& rows, RowSink& sink);

  std::unique_ptr<db::DuckDbDatabase> database_;
  std::unique_ptr<db::DuckDbConnection> connection_;
  db::BatchFunction batches_;
  DuckDbDataset dataset_;
  MemoryLimit& memory_;
  bool is_read_only_;
};

std::optional<StateRow> DuckDbSession::newest_state(std::string_view pipeline_name) {
  if (!has_state_tables()) return std::nullopt;
  // As dlt orders them: load ids by their text.
  db::DuckDbRows rows = connection_->query(
      fmt::format(
          "SELECT s.version, s.engine_version, s.state, s._dlt_load_id FROM {} AS s JOIN {} AS l"
          " ON l.load_id = s._dlt_load_id WHERE s.pipeline_name = ? AND l.status = 0"
          " ORDER BY l.load_id DESC LIMIT 1",
          dataset_.qualified(schema::kStateTable), dataset_.qualified(schema::kLoadsTable)),
      {pipeline_name});
  if (!rows.next()) return std::nullopt;
  return StateRow{rows.integer(0), rows.integer(1), std::string(pipeline_name),
                  std::string(rows.text(2)), std::string(rows.text(3))};
}

std::optional<std::string> DuckDbSession::newest_schema(std::string_view schema_name) {
  if (!dataset_.has_table(schema::kVersionTable)) return std::nullopt;
  db::DuckDbRows rows = connection_->query(
      fmt::format("SELECT schema FROM {} WHERE schema_name = ? ORDER BY inserted_at DESC LIMIT 1",
                  dataset_.qualified(schema::kVersionTable)),
      {schema_name});
  if (!rows.next()) return std::nullopt;
  // JSON as it is, or compressed where dlt found the column too narrow.
  const std::string_view text = rows.text(0);
  const std::optional<std::string> compressed = base64_decode(text);
  return compressed ? zlib_decompress(*compressed) : std::string(text);
}

bool DuckDbSession::is_committed(std::string_view load_id) {
  return dataset_.has_table(schema::kLoadsTable) &&
         connection_
             ->query(fmt::format("SELECT 1 FROM {} WHERE load_id = ? AND status = 0",
                                 dataset_.qualified(schema::kLoadsTable)),
                     {load_id})
             .next();
}

std::optional<std::string> DuckDbSession::newest_load_id() {
  if (!dataset_.has_table(schema::kLoadsTable)) return std::nullopt;
  db::DuckDbRows rows = connection_->query(
      fmt::format("SELECT max(load_id) FROM {}", dataset_.qualified(schema::kLoadsTable)));
  if (!rows.next() || rows.is_null(0)) return std::nullopt;
  return std::string(rows.text(0));
}

std::unique_ptr<PackageLoad> DuckDbSession::begin() {
  if (is_read_only_) {
    throw Error(ErrorCode::kInternal, "a session that only reads cannot load a package");
  }
  return std::make_unique<DuckDbPackageLoad>(*connection_, batches_, dataset_, memory_);
}

void DuckDbSession::describe(const std::string& rows, RowSink& sink) {
  std::vector<std::string> names;
  std::vector<std::string> types;
  db::DuckDbRows columns = connection_->query(
      fmt::format("SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM {})", rows));
  while (columns.next()) {
    names.emplace_back(columns.text(0));
    types.emplace_back(columns.text(1));
  }
  sink.columns(names, types);
}

void DuckDbSession::query(std::string_view sql, RowSink& sink) {
  const ReadOnlyTransaction transaction(*connection_);
  if (dataset_.exists()) connection_->execute("USE " + dataset_.qualified_name());
  connection_->check(sql);  // so that its failures point into the user's text, not into ours
  // DuckDB's query() takes one SELECT and nothing else, wherever its comments and semicolons are;
  // casting around it leaves the text of every type to DuckDB.
  const std::string source = fmt::format("query({})", db::quote_literal(sql));
  try {
    describe(source, sink);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInvalid) throw;
    throw Error(ErrorCode::kInvalid,
                "only one statement that reads can be run: SELECT, FROM, VALUES, SHOW or DESCRIBE");
  }
  db::DuckDbRows rows =
      connection_->query(fmt::format("SELECT CAST(COLUMNS(*) AS VARCHAR) FROM {}", source));
  std::vector<std::optional<std::string>> values(rows.column_count());
  bool wants_more = true;
  while (wants_more && rows.next()) {
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = rows.is_null(i) ? std::nullopt : std::optional<std::string>(rows.text(i));
    }
    wants_more = sink.row(values);
  }
}

class DuckDbDestination final : public Destination {
 public:
  explicit DuckDbDestination(DuckDbOptions options)
      : options_(std::move(options)), memory_(options_.memory_limit, options_.threads) {}

  const Capabilities& capabilities() const override { return capabilities_; }
  std::string location() const override { return "duckdb:///" + options_.path.string(); }
  void check_location() const override {
    const std::filesystem::path folder = options_.path.parent_path();
    if (os::path_kind(folder) == os::PathKind::kDirectory) return;
    throw Error(ErrorCode::kInvalid,
                fmt::format("the folder {} of the DuckDB database {} does not exist",
                            folder.string(), options_.path.filename().string()));
  }
  std::unique_ptr<Session> connect(std::string_view dataset, Access access) override {
    if (access == Access::kUpdate && !os::path_exists(options_.path)) {
      throw Error(ErrorCode::kNotFound,
                  fmt::format("there is no DuckDB database {}", options_.path.string()));
    }
    const bool is_read_only = access == Access::kRead;
    return std::make_unique<DuckDbSession>(
        db::DuckDbOptions{
            .file = options_.path,
            .is_read_only = is_read_only,
            .memory_limit = is_read_only ? options_.memory_limit : memory_.value(),
            .threads = options_.threads,
            // Whoever reads may count on the order of the rows; loads run on all threads without
            // it.
            .preserves_insertion_order = is_read_only,
            .storage_version = options_.storage_version,
            // Who reads opens the file by itself, under the name that views in it may use.
            .row_group_size = is_read_only ? 0 : kRowGroupSize,
            .library = options_.library,
        },
        std::string(dataset), memory_);
  }

 private:
  DuckDbOptions options_;
  MemoryLimit memory_;
  Capabilities capabilities_ = {
      .type = "duckdb",
      .factory = "dlt.destinations.duckdb",
      .max_identifier_length = kMaxIdentifierLength,
      .has_transactions = true,
  };
};

}  // namespace

std::unique_ptr<Destination> make_duckdb(DuckDbOptions options) {
  if (!options.path.is_absolute()) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("the path of a DuckDB database must be absolute, not \"{}\"",
                            options.path.string()));
  }
  options.path = options.path.lexically_normal();
  return std::make_unique<DuckDbDestination>(std::move(options));
}

}  // namespace tidemark::destination
