#pragma once

#include <chrono>
#include <memory>

#include "tidemark/base/cancellation.h"
#include "tidemark/db/database_url.h"
#include "tidemark/db/sql_connection.h"

namespace tidemark::db {

struct PostgresOptions {
  PostgresUrl url;
  // All of a connect: reaching the server, TLS, the password. `connect_timeout` in the URL wins.
  std::chrono::milliseconds connect_timeout{10'000};
  // For locks of others inside a transaction; then Error kLocked. A client that leaves a
  // transaction idle for half of that time, because it was stopped, is ended by the server: others
  // outwait it.
  std::chrono::milliseconds lock_timeout{10'000};
  // For the answer to a statement, or from one row to the next; then Error kTimeout, and the
  // connection is closed.
  std::chrono::milliseconds answer_timeout{30'000};
};

// Connects; the session speaks UTF-8. cancellation ends waits with Error kCancelled, closes the
// connection then, and outlives it.
std::unique_ptr<SqlConnection> connect_postgres(const PostgresOptions& options,
                                                const Cancellation& cancellation);

}  // namespace tidemark::db
