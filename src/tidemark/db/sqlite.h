#pragma once

#include <chrono>
#include <filesystem>
#include <memory>

#include "tidemark/base/cancellation.h"
#include "tidemark/db/sql_connection.h"

namespace tidemark::db {

struct SqliteOptions {
  std::filesystem::path file;
  // A missing file is made; else it is Error kNotFound.
  bool creates = false;
  // How long a statement waits for the locks of other processes before it is Error kLocked.
  std::chrono::milliseconds busy_timeout{10'000};
};

// Opens the file with full durability of commits. One that must not be made and lies where nothing
// may be written is read as it lies; such a connection is never usable a second time. cancellation
// ends waits and statements with Error kCancelled and outlives the connection. kInvalid when the
// file is no database.
std::unique_ptr<SqlConnection> open_sqlite(const SqliteOptions& options,
                                           const Cancellation& cancellation);

}  // namespace tidemark::db
