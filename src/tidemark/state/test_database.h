#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemark/base/cancellation.h"
#include "tidemark/base/clock.h"
#include "tidemark/base/random.h"
#include "tidemark/base/sleeper.h"
#include "tidemark/db/sqlite.h"
#include "tidemark/db/test_postgres.h"
#include "tidemark/os/processes.h"
#include "tidemark/os/temp_directory.h"
#include "tidemark/state/context.h"
#include "tidemark/state/system_database.h"

namespace tidemark::state {

// For tests: a place for a system database, in SQLite or PostgreSQL, where nothing is yet.
class TestDatabase {
 public:
  explicit TestDatabase(db::SqlDialect dialect) {
    if (dialect == db::SqlDialect::kPostgres) postgres_.emplace();
  }

  SystemDatabaseOptions options() const {
    return {.uri = Secret(postgres_ ? postgres_->url() : "sqlite:///sub/meltano.db"),
            .directory = folder_.path()};
  }
  std::unique_ptr<SystemDatabase> open() const {
    return std::make_unique<SystemDatabase>(options(), context_);
  }
  // Past all rules, for looking and for what others may do.
  std::unique_ptr<db::SqlConnection> connect() const {
    if (postgres_) return postgres_->connect();
    os::make_directories(file().parent_path());
    return db::open_sqlite({.file = file(), .creates = true}, cancellation_);
  }
  // Of SQLite.
  os::Path file() const { return folder_ / "sub/meltano.db"; }
  const std::string& schema() const { return postgres_->schema(); }
  const Context& context() const { return context_; }

 private:
  os::TempDirectory folder_;
  std::optional<db::TestPostgres> postgres_;
  mutable SystemClock clock_;
  mutable SystemSleeper sleeper_;
  mutable SystemRandom random_;
  mutable os::SystemProcesses processes_;
  Cancellation cancellation_;
  Context context_{.clock = clock_,
                   .sleeper = sleeper_,
                   .random = random_,
                   .processes = processes_,
                   .cancellation = cancellation_};
};

inline std::string name_of_dialect(const testing::TestParamInfo<db::SqlDialect>& info) {
  return info.param == db::SqlDialect::kSqlite ? "Sqlite" : "Postgres";
}

// The first column of every row; `NULL` for null.
inline std::vector<std::string> texts(db::SqlConnection& connection, std::string_view sql) {
  std::vector<std::string> found;
  connection.query(sql, {}, [&](const db::SqlRow& row) {
    found.emplace_back(row.is_null(0) ? "NULL" : row.text(0));
  });
  return found;
}

template <typename Body>
Error error_of(Body body) {
  try {
    body();
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorCode::kInternal, "nothing was thrown");
}

}  // namespace tidemark::state
