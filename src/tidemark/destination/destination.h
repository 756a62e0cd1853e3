#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/clock.h"
#include "tidemark/schema/schema.h"

namespace tidemark::destination {

// What a destination can do, as data.
struct Capabilities {
  std::string type;     // "duckdb"
  std::string factory;  // how dlt's state names it: "dlt.destinations.duckdb"
  std::optional<size_t> max_identifier_length;  // code points
  // Else load() is durable at once and idempotent under (load id, job id).
  bool has_transactions = true;
};

// A row of _dlt_pipeline_state (dlt 1.31).
struct StateRow {
  int64_t version = 0;
  int64_t engine_version = 0;
  std::string pipeline_name;
  std::string state;  // base64 of zlib, or raw JSON
  std::string load_id;
};

// A row of _dlt_loads.
struct LoadRow {
  std::string load_id;
  std::string schema_name;
  std::string schema_version_hash;
  Time inserted_at;
};

// The files of one table: parts of ours, or job files of dlt's, but not both.
struct TableParts {
  std::string table;
  std::vector<std::filesystem::path> files;
  // A load that broke off may have appended their rows already: those whose row key is there are
  // left out.
  bool may_be_loaded = false;
};

// A root table and its nested tables, parents first, with the parts a package has for them. Tables
// without parts are listed too: replace empties them and merge deletes from them.
struct TableChain {
  std::string write_disposition;  // "append", "replace", "merge"
  std::string merge_strategy;     // of merge: "delete-insert"
  std::vector<TableParts> tables;
};

struct LoadedTable {
  std::string table;
  uint64_t rows = 0;    // inserted
  std::string warning;  // what the user should know; empty = nothing
};

// Receives the rows of a query as text; nothing is a null.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void columns(std::span<const std::string> names, std::span<const std::string> types) = 0;
  // False stops the query.
  virtual bool row(std::span<const std::optional<std::string>> values) = 0;
};

// One package on its way into a dataset. Destroying it without commit() takes everything back,
// where the destination has transactions. After any error it can only be destroyed.
class PackageLoad {
 public:
  virtual ~PackageLoad() = default;

  // DROP TABLE IF EXISTS for each, and every row of that schema name out of _dlt_version.
  virtual void drop_tables(std::string_view schema_name, std::span<const std::string> tables) = 0;
  // Makes dataset, system tables, and what the named tables lack; only ever adds. Writes the
  // schema's row to _dlt_version unless its hash is there. Returns what was added: {table: partial
  // table}, dlt's applied schema update.
  virtual json::Object apply(const schema::Schema& schema, std::span<const std::string> tables,
                             Time now) = 0;
  virtual void truncate_tables(std::span<const std::string> tables) = 0;
  virtual std::vector<LoadedTable> load(const schema::Schema& schema, const TableChain& chain) = 0;
  // Writes the row of _dlt_loads, commits, and reads that row back: Error kInternal when it is not
  // there. Durable when it returns.
  virtual void commit(const LoadRow& row) = 0;
};

// A connection to one dataset. One thread, but for interrupt().
class Session {
 public:
  virtual ~Session() = default;

  virtual bool has_dataset() = 0;
  // Whether both _dlt_pipeline_state and _dlt_loads exist.
  virtual bool has_state_tables() = 0;
  // The newest by text of the load id among those with a row of status 0 in _dlt_loads.
  virtual std::optional<StateRow> newest_state(std::string_view pipeline_name) = 0;
  // The newest by inserted_at: JSON text, decompressed.
  virtual std::optional<std::string> newest_schema(std::string_view schema_name) = 0;
  virtual bool is_committed(std::string_view load_id) = 0;
  // The highest load id in _dlt_loads.
  virtual std::optional<std::string> newest_load_id() = 0;
  virtual std::unique_ptr<PackageLoad> begin() = 0;
  // Runs read-only SQL with the dataset as search path. Error kInvalid for a statement that would
  // write.
  virtual void query(std::string_view sql, RowSink& sink) = 0;
  // Makes the statement that runs now fail with Error kCancelled; one that starts later is not
  // touched. From any thread.
  virtual void interrupt() = 0;
};

// What a session may do.
enum class Access {
  kRead,    // beside other readers
  kUpdate,  // write
  kWrite,   // write, and make the database when there is none
};

// A place data goes to. Opening it is cheap; connecting is not.
class Destination {
 public:
  virtual ~Destination() = default;

  virtual const Capabilities& capabilities() const = 0;
  // For people and load info, without secrets: "duckdb:////data/github.duckdb".
  virtual std::string location() const = 0;
  // Throws Error kInvalid when no database can be there, as in a folder that does not exist. Opens
  // nothing: what only an attempt can tell stays untold.
  virtual void check_location() const = 0;
  // Error kLocked when another process holds the database, kUnavailable when it cannot be reached,
  // kNotFound when it does not exist and the access does not make it.
  virtual std::unique_ptr<Session> connect(std::string_view dataset, Access access) = 0;
};

}  // namespace tidemark::destination
