#include "tidemark/state/system_database.h"

#include <utility>
#include <variant>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/db/postgres.h"
#include "tidemark/db/sqlite.h"
#include "tidemark/state/meltano_schema.h"

namespace tidemark::state {
namespace {

// More are closed than kept: threads that meet by chance do not keep connections for ever.
constexpr size_t kMaxIdle = 8;
// Beyond the time that a statement may wait for locks. Statements are small here, and a lease that
// is not renewed must be tried again before it ends.
constexpr std::chrono::seconds kAnswerMargin{2};

db::DatabaseUrl resolve(const Secret& uri, const os::Path& directory) {
  db::DatabaseUrl url = db::parse_database_url(uri.reveal());
  if (auto* sqlite = std::get_if<db::SqliteUrl>(&url)) {
    sqlite->file = (directory / sqlite->file).lexically_normal().string();
  }
  return url;
}

bool is_worth_a_retry(const Error& error) {
  return error.code() == ErrorCode::kUnavailable || error.code() == ErrorCode::kTimeout;
}

// As Meltano opens it: readers and a writer do not wait for each other. The file remembers it.
void use_write_ahead_log(db::SqlConnection& connection) {
  if (connection.dialect() != db::SqlDialect::kSqlite) return;
  connection.query("PRAGMA journal_mode = WAL", {}, [](const db::SqlRow&) {});
}

}  // namespace

SystemDatabase::SystemDatabase(SystemDatabaseOptions options, const Context& context)
    : options_(std::move(options)),
      context_(context),
      url_(resolve(options_.uri, options_.directory)),
      description_(db::describe(url_)) {}

SystemDatabase::~SystemDatabase() = default;

// Gives the session back when the call is over, however it ended.
class SystemDatabase::Loan {
 public:
  Loan(SystemDatabase& database, Session session)
      : database_(database), session_(std::move(session)) {}
  ~Loan() { database_.give_back(std::move(session_)); }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;

  Session& session() { return session_; }

 private:
  SystemDatabase& database_;
  Session session_;
};

template <typename Body>
auto SystemDatabase::in_operation(std::string_view operation, const Body& body) {
  try {
    return body();
  } catch (Error& error) {
    error.add_context(fmt::format("{} in {}", operation, description_));
    throw;
  }
}

bool SystemDatabase::read(std::string_view operation, const Work& work) {
  return in_operation(operation, [&] {
    for (bool is_second = false;; is_second = true) {
      std::optional<Session> session = take_session(false);
      if (!session) return false;
      Loan loan(*this, std::move(*session));
      try {
        if (!prepare_to_read(loan.session())) return false;
        work(*loan.session().connection);
        return true;
      } catch (const Error& error) {
        const bool is_broken =
            error.code() == ErrorCode::kUnavailable && !loan.session().connection->is_usable();
        if (is_second || !is_broken) throw;
      }
    }
  });
}

void SystemDatabase::write(std::string_view operation, const Work& work) {
  in_operation(operation, [&] {
    Loan loan(*this, *take_session(true));
    make_tables(loan.session());
    prepare_to_write(loan.session());
    work(*loan.session().connection);
  });
}

bool SystemDatabase::write_if_there(std::string_view operation, const Work& work) {
  return in_operation(operation, [&] {
    std::optional<Session> session = take_session(false);
    if (!session) return false;
    Loan loan(*this, std::move(*session));
    if (!prepare_to_read(loan.session())) return false;
    prepare_to_write(loan.session());
    work(*loan.session().connection);
    return true;
  });
}

Time SystemDatabase::now() {
  if (dialect() == db::SqlDialect::kSqlite) return context_.clock.now();
  return in_operation("ask the time", [&] {
    Loan loan(*this, *take_session(true));
    Time time;
    loan.session().connection->query(
        "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint", {},
        [&](const db::SqlRow& row) { time = Time(std::chrono::microseconds(row.integer(0))); });
    return time;
  });
}

db::SqlDialect SystemDatabase::dialect() const {
  return std::holds_alternative<db::SqliteUrl>(url_) ? db::SqlDialect::kSqlite
                                                     : db::SqlDialect::kPostgres;
}

std::optional<SystemDatabase::Session> SystemDatabase::take_session(bool creates) {
  if (std::optional<Session> idle = take_idle()) return idle;
  const auto* sqlite = std::get_if<db::SqliteUrl>(&url_);
  if (sqlite != nullptr && creates) os::make_directories(os::Path(sqlite->file).parent_path());
  if (sqlite != nullptr && !creates && !os::path_exists(sqlite->file)) return std::nullopt;
  return Session{.connection = connect_patiently(creates)};
}

std::optional<SystemDatabase::Session> SystemDatabase::take_idle() {
  const std::lock_guard lock(mutex_);
  while (!idle_.empty()) {
    Session session = std::move(idle_.back());
    idle_.pop_back();
    if (session.connection->is_usable()) return session;
  }
  return std::nullopt;
}

void SystemDatabase::give_back(Session session) {
  if (!session.connection->is_usable()) return;
  const std::lock_guard lock(mutex_);
  if (idle_.size() < kMaxIdle) idle_.push_back(std::move(session));
}

std::unique_ptr<db::SqlConnection> SystemDatabase::connect(bool creates) const {
  if (const auto* sqlite = std::get_if<db::SqliteUrl>(&url_)) {
    return db::open_sqlite(
        {.file = sqlite->file, .creates = creates, .busy_timeout = options_.lock_timeout},
        context_.cancellation);
  }
  return db::connect_postgres({.url = std::get<db::PostgresUrl>(url_),
                               .lock_timeout = options_.lock_timeout,
                               .answer_timeout = options_.lock_timeout + kAnswerMargin},
                              context_.cancellation);
}

std::unique_ptr<db::SqlConnection> SystemDatabase::connect_patiently(bool creates) {
  for (int attempt = 1;; ++attempt) {
    try {
      std::unique_ptr<db::SqlConnection> connection = connect(creates);
      has_connected_ = true;
      return connection;
    } catch (Error& error) {
      if (has_connected_ || !is_worth_a_retry(error)) throw;
      if (attempt > options_.max_retries) {
        error.add_context(fmt::format("no connection after {} attempts", attempt));
        throw;
      }
    }
    if (options_.notice) {
      options_.notice(fmt::format("DB connection failed. Will retry after {}s. Attempt {}/{}",
                                  options_.retry_interval.count(), attempt, options_.max_retries));
    }
    context_.sleeper.sleep(options_.retry_interval, context_.cancellation);
  }
}

bool SystemDatabase::prepare_to_read(Session& session) {
  if (session.schema == MeltanoSchema::kNone) {
    session.schema = inspect_meltano_schema(*session.connection);
  }
  return session.schema != MeltanoSchema::kNone;
}

void SystemDatabase::prepare_to_write(Session& session) {
  if (session.is_ready_to_write) return;
  if (session.schema == MeltanoSchema::kNewer) {
    throw Error(ErrorCode::kUnsupported,
                "its tables are marked with a revision that this version does not know, of a newer "
                "Meltano: they can be read, but not written");
  }
  use_write_ahead_log(*session.connection);
  session.is_ready_to_write = true;
}

void SystemDatabase::make_tables(Session& session) {
  constexpr int kAttempts = 3;
  for (int attempt = 1; !prepare_to_read(session); ++attempt) {
    try {
      use_write_ahead_log(*session.connection);
      create_meltano_schema(*session.connection);
    } catch (const Error& error) {
      // Somebody else is making them.
      if (error.code() != ErrorCode::kConflict || attempt == kAttempts) throw;
    }
  }
}

}  // namespace tidemark::state
