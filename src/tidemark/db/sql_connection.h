#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <variant>

namespace tidemark::db {

// Bound as a byte string: BLOB, bytea.
struct SqlBytes {
  std::string_view bytes;
};
// The texts are borrowed for the call. PostgreSQL refuses text with a NUL: Error kInvalid.
using SqlValue = std::variant<std::nullptr_t, int64_t, std::string_view, SqlBytes>;
using SqlValues = std::initializer_list<SqlValue>;

enum class SqlDialect { kSqlite, kPostgres };

// One row of a result; valid while it is visited.
class SqlRow {
 public:
  virtual ~SqlRow() = default;

  virtual bool is_null(size_t column) const = 0;
  // Error kCorrupt when it is none, as in a SQLite column that holds another type.
  virtual int64_t integer(size_t column) const = 0;
  // Error kCorrupt when it holds bytes.
  virtual std::string_view text(size_t column) const = 0;
  virtual std::string_view bytes(size_t column) const = 0;
};

// A connection to SQLite or PostgreSQL for short statements that both understand: parameters are
// $1, $2, ... in the order in which they first appear. Used by one thread at a time; destroying it
// rolls back what is not committed.
//
// Every call throws what the failure means: kNotFound for a missing table, kConflict for a violated
// key and for what a concurrent transaction undid, kLocked when others kept a lock for too long,
// kUnauthorized, kUnavailable, kTimeout, kCancelled, kCorrupt. No message holds a value or a
// password. Outside of a transaction a failed statement has changed nothing, but for kUnavailable,
// kTimeout and kCancelled on PostgreSQL, where nobody knows.
class SqlConnection {
 public:
  using Visitor = std::function<void(const SqlRow& row)>;

  virtual ~SqlConnection() = default;

  // The number of rows that were changed.
  virtual int64_t execute(std::string_view sql, SqlValues values) = 0;
  // Each row as it comes; the result is never held as a whole. The connection is busy until visit
  // has seen the last one.
  virtual void query(std::string_view sql, SqlValues values, const Visitor& visit) = 0;
  // Statements without parameters, joined by `;`.
  virtual void run_script(std::string_view sql) = 0;
  // Starts a transaction that may write. On SQLite it has the write lock from here on; on
  // PostgreSQL each statement sees what was committed before it.
  virtual void begin() = 0;
  virtual void commit() = 0;
  virtual void rollback() noexcept = 0;

  // Whether it can go on: still connected as far as one knows, and in no transaction.
  virtual bool is_usable() = 0;
  virtual SqlDialect dialect() const = 0;
};

// Rolls back unless committed.
class SqlTransaction {
 public:
  explicit SqlTransaction(SqlConnection& connection) : connection_(connection) {
    connection_.begin();
  }
  ~SqlTransaction() {
    if (is_open_) connection_.rollback();
  }
  SqlTransaction(const SqlTransaction&) = delete;
  SqlTransaction& operator=(const SqlTransaction&) = delete;

  // Durable when it returns.
  void commit() {
    connection_.commit();
    is_open_ = false;
  }

 private:
  SqlConnection& connection_;
  bool is_open_ = true;
};

}  // namespace tidemark::db
