#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/secret.h"
#include "tidemark/db/database_url.h"
#include "tidemark/db/sql_connection.h"
#include "tidemark/os/files.h"
#include "tidemark/state/context.h"

namespace tidemark::state {

// The settings `database_*`.
struct SystemDatabaseOptions {
  // SQLAlchemy's spelling (db/database_url.h).
  Secret uri;
  // Relative database files are against it.
  os::Path directory;
  // Of the first connect, when the server does not answer.
  int max_retries = 3;
  std::chrono::seconds retry_interval{5};
  // Told of each such retry; may be empty.
  std::function<void(std::string_view text)> notice = {};
};

// Meltano's system database: the tables `alembic_version`, `plugin_settings`, `runs` and `state`,
// in SQLite or PostgreSQL. Connects at the first use; keeps idle connections. Thread-safe; work may
// call read() and write() again, which then have connections of their own.
//
// Errors name the database. A schema of a Meltano that is too old is Error kUnsupported; one of a
// newer Meltano is read as long as it has what is read, and kUnsupported to write().
class SystemDatabase {
 public:
  using Work = std::function<void(db::SqlConnection& connection)>;

  // Error kInvalid or kUnsupported for the URI.
  SystemDatabase(SystemDatabaseOptions options, const Context& context);
  ~SystemDatabase();
  SystemDatabase(const SystemDatabase&) = delete;
  SystemDatabase& operator=(const SystemDatabase&) = delete;

  // Runs work on a database that has Meltano's tables; false when there is none, and nothing is
  // made then: no file, no directory, no table.
  bool read(const Work& work);
  // Makes what is missing first: the file with its directory and, in a database that has none of
  // the tables, all of them with Meltano's mark of their version, in one transaction.
  void write(const Work& work);

  db::SqlDialect dialect() const;
  // `sqlite:////p/.meltano/meltano.db`, `postgresql://host/database`; never a credential.
  const std::string& describe() const { return description_; }

 private:
  class Session;

  std::unique_ptr<db::SqlConnection> connect(bool creates);
  std::unique_ptr<db::SqlConnection> connect_patiently(bool creates);
  std::unique_ptr<db::SqlConnection> take_idle();

  SystemDatabaseOptions options_;
  Context context_;
  db::DatabaseUrl url_;
  std::string description_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<db::SqlConnection>> idle_;
};

}  // namespace tidemark::state
