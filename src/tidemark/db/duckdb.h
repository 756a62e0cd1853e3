#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "tidemark/base/clock.h"

namespace tidemark::db {

struct DuckDbOptions {
  std::filesystem::path file = {};        // absolute; empty = in memory
  bool is_read_only = false;              // a missing file is then an error
  std::string memory_limit = {};          // "128MB"; empty = DuckDB's own, 80 % of the machine
  int threads = 0;                        // 0 = one a core
  bool preserves_insertion_order = true;  // off lets one INSERT run on all threads
  std::string storage_version = {};       // of a new file, "v1.0.0"; empty = the newest
  // Rows of a row group that is written from now on, a multiple of 2,048; a row group is the least
  // that a thread writes on its own. 0 = DuckDB's 122,880, or what the file was given.
  size_t row_group_size = 0;
  std::filesystem::path library = {};  // libduckdb.so; empty = found beside the program
};

class DuckDbConnection;

// An open DuckDB database. Within one process all that open one file share it and must agree on the
// options. Thread-safe. Connections must not outlive it.
class DuckDbDatabase {
 public:
  // Error kNotFound when the library, the folder, or with is_read_only the file is missing; kLocked
  // when another process, or this one with other options, holds the file; kInvalid when it is no
  // database; kUnsupported when it is of a newer DuckDB.
  static std::unique_ptr<DuckDbDatabase> open(const DuckDbOptions& options);
  ~DuckDbDatabase();
  DuckDbDatabase(const DuckDbDatabase&) = delete;
  DuckDbDatabase& operator=(const DuckDbDatabase&) = delete;

  // The session's time zone is UTC.
  std::unique_ptr<DuckDbConnection> connect();

 private:
  struct Impl;
  explicit DuckDbDatabase(std::unique_ptr<Impl> impl);
  void attach(const DuckDbOptions& options);
  std::unique_ptr<DuckDbConnection> open_connection();
  std::unique_ptr<Impl> impl_;
};

// The rows of a finished query. One thread. Must not outlive its connection.
class DuckDbRows {
 public:
  ~DuckDbRows();
  DuckDbRows(const DuckDbRows&) = delete;
  DuckDbRows& operator=(const DuckDbRows&) = delete;

  size_t column_count() const;
  // Goes to the next row, at first to the first one; false when there is none.
  bool next();
  bool is_null(size_t column) const;
  // Of VARCHAR and BLOB columns; valid until the next call of next(). Error kInternal for other
  // types: the statement casts.
  std::string_view text(size_t column) const;
  // Of BIGINT columns, likewise.
  int64_t integer(size_t column) const;

 private:
  friend class DuckDbConnection;
  struct Impl;
  explicit DuckDbRows(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

using Parameter = std::variant<std::nullptr_t, int64_t, std::string_view, Time>;

// Runs one statement at a time, on any thread. A failed statement inside a transaction spoils it:
// DuckDB answers the COMMIT that follows with success and keeps nothing.
class DuckDbConnection {
 public:
  ~DuckDbConnection();  // rolls back
  DuckDbConnection(const DuckDbConnection&) = delete;
  DuckDbConnection& operator=(const DuckDbConnection&) = delete;

  // One statement, whose `?` are the parameters. All throw what DuckDB's failures mean
  // (duckdb_error.h). The number of rows that were changed.
  uint64_t execute(std::string_view sql, std::initializer_list<Parameter> parameters = {});
  DuckDbRows query(std::string_view sql, std::initializer_list<Parameter> parameters = {});
  // Throws what running the statement would throw for its text and the names in it.
  void check(std::string_view sql);
  // Makes the statement that runs now fail with Error kCancelled. One that starts later is not
  // touched. From any thread.
  void interrupt();

 private:
  friend class DuckDbDatabase;
  friend class BatchFunction;
  struct Impl;
  explicit DuckDbConnection(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tidemark::db
