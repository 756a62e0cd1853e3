#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/clock.h"
#include "tidemark/base/secret.h"
#include "tidemark/db/database_url.h"
#include "tidemark/db/sql_connection.h"
#include "tidemark/os/files.h"
#include "tidemark/state/context.h"
#include "tidemark/state/meltano_schema.h"

namespace tidemark::state {

// The settings `database_*`.
struct SystemDatabaseOptions {
  // SQLAlchemy's spelling (db/database_url.h).
  Secret uri = {};
  // Relative database files are against it.
  os::Path directory = {};
  // Of the first connect, when the server does not answer.
  int max_retries = 3;
  std::chrono::seconds retry_interval{5};
  // How long a statement waits for the locks of others. Its answer comes at most 2 s later.
  std::chrono::milliseconds lock_timeout{10'000};
  // Told of each retry; may be empty.
  std::function<void(std::string_view text)> notice = {};
};

// Meltano's system database: the tables `alembic_version`, `plugin_settings`, `runs` and `state`,
// in SQLite or PostgreSQL. Connects at the first use; keeps idle connections. Thread-safe; work may
// call read() and write() again, which then have a connection of their own.
//
// Errors begin with `load 'x' in postgresql://host/database`. A schema of a Meltano that is too old
// is Error kUnsupported; one of a newer Meltano is read as long as it has what is read, and
// kUnsupported to write().
class SystemDatabase {
 public:
  using Work = std::function<void(db::SqlConnection& connection)>;

  // Error kInvalid or kUnsupported for the URI.
  SystemDatabase(SystemDatabaseOptions options, const Context& context);
  ~SystemDatabase();
  SystemDatabase(const SystemDatabase&) = delete;
  SystemDatabase& operator=(const SystemDatabase&) = delete;

  // Runs work on a database that has Meltano's tables; false when there is none, and nothing is
  // made then: no file, no directory, no table. The operation (`load 'x'`) is for errors. When the
  // connection breaks work is run once more, on a new one.
  bool read(std::string_view operation, const Work& work);
  // Makes what is missing first: the file with its directory and, in a database that has none of
  // the tables, all of them with Meltano's mark of their version, in one transaction.
  void write(std::string_view operation, const Work& work);
  // As write(), but where there are no tables work is not run, and nothing is made: false.
  bool write_if_there(std::string_view operation, const Work& work);

  // By the server's clock; of a SQLite database by that of this machine.
  Time now();
  db::SqlDialect dialect() const;
  // `sqlite:////p/.meltano/meltano.db`, `postgresql://host/database`; never a credential.
  const std::string& describe() const { return description_; }

 private:
  class Loan;
  // A connection and what is known of the database behind it.
  struct Session {
    std::unique_ptr<db::SqlConnection> connection;
    MeltanoSchema schema = MeltanoSchema::kNone;  // when last looked at
    bool is_ready_to_write = false;
  };

  template <typename Body>
  auto in_operation(std::string_view operation, const Body& body);
  // An idle session or a new one. Nothing when the file is missing and must not be made.
  std::optional<Session> take_session(bool creates);
  std::optional<Session> take_idle();
  void give_back(Session session);
  std::unique_ptr<db::SqlConnection> connect(bool creates) const;
  std::unique_ptr<db::SqlConnection> connect_patiently(bool creates);
  bool prepare_to_read(Session& session);
  void prepare_to_write(Session& session);
  void make_tables(Session& session);

  SystemDatabaseOptions options_;
  Context context_;
  db::DatabaseUrl url_;
  std::string description_;
  std::mutex mutex_;
  std::atomic<bool> has_connected_ = false;
  std::vector<Session> idle_;
};

}  // namespace tidemark::state
