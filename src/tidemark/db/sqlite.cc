#include "tidemark/db/sqlite.h"

#include <algorithm>
#include <map>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>

#include <fmt/format.h>
#include <sqlite3.h>

#include "tidemark/base/error.h"
#include "tidemark/db/sqlite_error.h"
#include "tidemark/net/url.h"

namespace tidemark::db {
namespace {

struct CloseDatabase {
  void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
};
using Handle = std::unique_ptr<sqlite3, CloseDatabase>;

struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using StatementHandle = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

class Row final : public SqlRow {
 public:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}

  bool is_null(size_t column) const override { return type(column) == SQLITE_NULL; }
  int64_t integer(size_t column) const override {
    require(column, SQLITE_INTEGER, "an integer");
    return sqlite3_column_int64(statement_, static_cast<int>(column));
  }
  std::string_view text(size_t column) const override {
    require(column, SQLITE_TEXT, "text");
    const unsigned char* text = sqlite3_column_text(statement_, static_cast<int>(column));
    return {reinterpret_cast<const char*>(text), size(column)};
  }
  std::string_view bytes(size_t column) const override {
    require(column, SQLITE_BLOB, "bytes");
    const void* bytes = sqlite3_column_blob(statement_, static_cast<int>(column));
    return {static_cast<const char*>(bytes), size(column)};
  }

 private:
  int type(size_t column) const {
    return sqlite3_column_type(statement_, static_cast<int>(column));
  }
  size_t size(size_t column) const {
    return static_cast<size_t>(sqlite3_column_bytes(statement_, static_cast<int>(column)));
  }
  void require(size_t column, int expected, std::string_view what) const {
    if (type(column) == expected) return;
    throw Error(ErrorCode::kCorrupt,
                fmt::format("SQLite: the column {} does not hold {}",
                            sqlite3_column_name(statement_, static_cast<int>(column)), what));
  }

  sqlite3_stmt* statement_;
};

[[noreturn]] void fail(sqlite3* handle, int code) {
  const bool is_file_error = (code & 0xFF) == SQLITE_CANTOPEN || (code & 0xFF) == SQLITE_IOERR;
  throw sqlite_error(code, sqlite3_errmsg(handle),
                     is_file_error ? sqlite3_system_errno(handle) : 0);
}

Handle open_file(const std::string& name, int flags) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &opened,
                                   flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  Handle handle(opened);
  if (code != SQLITE_OK) fail(opened, code);
  return handle;
}

class SqliteConnection final : public SqlConnection {
 public:
  SqliteConnection(Handle handle, std::chrono::milliseconds busy_timeout, bool is_frozen,
                   const Cancellation& cancellation)
      : busy_timeout_(busy_timeout),
        is_frozen_(is_frozen),
        cancellation_(cancellation),
        handle_(std::move(handle)) {
    sqlite3_busy_handler(handle_.get(), &SqliteConnection::wait_for_lock, this);
    constexpr int kInstructionsBetweenLooks = 10'000;
    sqlite3_progress_handler(handle_.get(), kInstructionsBetweenLooks, &SqliteConnection::must_stop,
                             this);
    // Also reads the file for the first time.
    run_script("PRAGMA synchronous = FULL");
  }

  int64_t execute(std::string_view sql, SqlValues values) override {
    step_through(sql, values, nullptr);
    return sqlite3_changes64(handle_.get());
  }

  void query(std::string_view sql, SqlValues values, const Visitor& visit) override {
    step_through(sql, values, visit);
  }

  void run_script(std::string_view sql) override {
    start_waiting();
    check(sqlite3_exec(handle_.get(), std::string(sql).c_str(), nullptr, nullptr, nullptr));
  }

  // IMMEDIATE: a transaction that reads first and then wants to write fails at once when another
  // one wrote in between, whatever the busy time-out.
  void begin() override { run_script("BEGIN IMMEDIATE"); }
  void commit() override { run_script("COMMIT"); }
  void rollback() noexcept override {
    sqlite3_exec(handle_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  }

  bool is_usable() override {
    if (is_frozen_) return false;
    int has_moved = 0;
    sqlite3_file_control(handle_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
    return has_moved == 0 && sqlite3_get_autocommit(handle_.get()) != 0;
  }
  SqlDialect dialect() const override { return SqlDialect::kSqlite; }

 private:
  using Steady = std::chrono::steady_clock;

  static int must_stop(void* self) {
    return static_cast<SqliteConnection*>(self)->cancellation_.is_cancelled() ? 1 : 0;
  }

  // Whether to try for the lock again. The waits are of different lengths, so that writers who were
  // refused together do not come back together.
  static int wait_for_lock(void* self, int attempts) {
    auto& connection = *static_cast<SqliteConnection*>(self);
    if (connection.cancellation_.is_cancelled()) return 0;
    if (Steady::now() - connection.waiting_since_ > connection.busy_timeout_) return 0;
    std::this_thread::sleep_for(std::chrono::microseconds(200 + 300 * std::min(attempts, 20)));
    return 1;
  }

  void start_waiting() { waiting_since_ = Steady::now(); }

  void step_through(std::string_view sql, SqlValues values, const Visitor& visit) {
    start_waiting();
    sqlite3_stmt* statement = prepared(sql);
    struct Reset {
      ~Reset() {
        sqlite3_reset(statement);
        sqlite3_clear_bindings(statement);
      }
      sqlite3_stmt* statement;
    } const reset{statement};
    int index = 0;
    for (const SqlValue& value : values) check(bind(statement, ++index, value));
    int code = sqlite3_step(statement);
    for (; code == SQLITE_ROW; code = sqlite3_step(statement)) {
      if (visit) visit(Row(statement));
    }
    if (code != SQLITE_DONE) fail(code);
  }

  sqlite3_stmt* prepared(std::string_view sql) {
    const auto found = statements_.find(sql);
    if (found != statements_.end()) return found->second.get();
    sqlite3_stmt* statement = nullptr;
    check(sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                             SQLITE_PREPARE_PERSISTENT, &statement, nullptr));
    return statements_.emplace(sql, StatementHandle(statement)).first->second.get();
  }

  static int bind(sqlite3_stmt* statement, int index, const SqlValue& value) {
    return std::visit(
        [&](const auto& bound) {
          using Bound = std::decay_t<decltype(bound)>;
          if constexpr (std::is_same_v<Bound, std::nullptr_t>) {
            return sqlite3_bind_null(statement, index);
          } else if constexpr (std::is_same_v<Bound, int64_t>) {
            return sqlite3_bind_int64(statement, index, bound);
          } else if constexpr (std::is_same_v<Bound, std::string_view>) {
            // An empty view may have no address, which would bind NULL.
            return sqlite3_bind_text64(statement, index, bound.empty() ? "" : bound.data(),
                                       bound.size(), SQLITE_STATIC, SQLITE_UTF8);
          } else {
            return sqlite3_bind_blob64(statement, index,
                                       bound.bytes.empty() ? "" : bound.bytes.data(),
                                       bound.bytes.size(), SQLITE_STATIC);
          }
        },
        value);
  }

  void check(int code) const {
    if (code != SQLITE_OK) fail(code);
  }

  [[noreturn]] void fail(int code) const {
    cancellation_.throw_if_cancelled();
    db::fail(handle_.get(), code);
  }

  std::chrono::milliseconds busy_timeout_;
  bool is_frozen_;
  const Cancellation& cancellation_;
  Steady::time_point waiting_since_{};
  Handle handle_;
  // By their text; they go before the handle.
  std::map<std::string, StatementHandle, std::less<>> statements_;
};

// A database in WAL mode cannot be read, by SQLite's usual way, where no file can be made beside
// it. Without a log beside it nobody is writing it, and the file alone is all there is.
std::unique_ptr<SqlConnection> open_frozen(const SqliteOptions& options,
                                           const Cancellation& cancellation) {
  const std::string name = "file:" + net::percent_encode(options.file.string()) + "?immutable=1";
  return std::make_unique<SqliteConnection>(open_file(name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI),
                                            options.busy_timeout, true, cancellation);
}

bool has_log(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::exists(file.string() + "-wal", ignored);
}

}  // namespace

std::unique_ptr<SqlConnection> open_sqlite(const SqliteOptions& options,
                                           const Cancellation& cancellation) {
  const int flags = SQLITE_OPEN_READWRITE | (options.creates ? SQLITE_OPEN_CREATE : 0);
  Handle handle = open_file(options.file.string(), flags);
  try {
    return std::make_unique<SqliteConnection>(std::move(handle), options.busy_timeout, false,
                                              cancellation);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUnauthorized || options.creates || has_log(options.file)) throw;
  }
  return open_frozen(options, cancellation);
}

}  // namespace tidemark::db
