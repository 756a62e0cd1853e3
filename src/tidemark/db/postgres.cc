#include "tidemark/db/postgres.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/format.h>
#include <poll.h>

#include "tidemark/base/error.h"
#include "tidemark/db/postgres_api.h"
#include "tidemark/db/postgres_error.h"

namespace tidemark::db {
namespace {

using Steady = std::chrono::steady_clock;

struct CloseConnection {
  void operator()(PGconn* handle) const { pq().finish(handle); }
};
using Handle = std::unique_ptr<PGconn, CloseConnection>;

struct ClearResult {
  void operator()(PGresult* result) const { pq().clear(result); }
};
using Result = std::unique_ptr<PGresult, ClearResult>;

// Returns when the socket is ready for one of the events. Error kTimeout, kCancelled.
void wait_for_socket(PGconn* handle, short events, Steady::time_point deadline,
                     const Cancellation& cancellation) {
  constexpr int kBetweenLooks = 50;
  for (;;) {
    cancellation.throw_if_cancelled();
    pollfd waiting{.fd = pq().socket(handle), .events = events, .revents = 0};
    if (::poll(&waiting, 1, kBetweenLooks) > 0) return;
    if (Steady::now() > deadline) {
      throw Error(ErrorCode::kTimeout, "PostgreSQL: no answer within the time allowed");
    }
  }
}

// Parameters in libpq's text form, but bytes as they are.
class Parameters {
 public:
  explicit Parameters(SqlValues values) {
    texts_.reserve(values.size());
    for (const SqlValue& value : values) std::visit([this](const auto& v) { add(v); }, value);
    for (const std::string& text : texts_) lengths_.push_back(static_cast<int>(text.size()));
    for (size_t i = 0; i < texts_.size(); ++i) {
      pointers_.push_back(is_null_[i] ? nullptr : texts_[i].c_str());
    }
  }

  int count() const { return static_cast<int>(texts_.size()); }
  const char* const* pointers() const { return pointers_.data(); }
  const int* lengths() const { return lengths_.data(); }
  const int* formats() const { return formats_.data(); }

 private:
  void add(std::nullptr_t) { add_text({}, true, 0); }
  void add(int64_t value) { add_text(std::to_string(value), false, 0); }
  void add(std::string_view value) {
    if (value.find('\0') != std::string_view::npos) {
      throw Error(ErrorCode::kInvalid, "PostgreSQL: text with a NUL cannot be stored");
    }
    add_text(std::string(value), false, 0);
  }
  void add(SqlBytes value) { add_text(std::string(value.bytes), false, 1); }
  void add_text(std::string text, bool is_null, int format) {
    texts_.push_back(std::move(text));
    is_null_.push_back(is_null);
    formats_.push_back(format);
  }

  std::vector<std::string> texts_;
  std::vector<bool> is_null_;
  std::vector<const char*> pointers_;
  std::vector<int> lengths_;
  std::vector<int> formats_;
};

// Results come in binary form: text as it is, integers in network order.
class Row final : public SqlRow {
 public:
  explicit Row(const PGresult* result) : result_(result) {}

  bool is_null(size_t column) const override {
    return pq().getisnull(result_, 0, static_cast<int>(column)) != 0;
  }
  int64_t integer(size_t column) const override {
    require(column, {kInt8, kInt4, kBool}, "an integer");
    const std::string_view raw = value(column);
    // The first byte carries the sign.
    int64_t number = static_cast<signed char>(raw.front());
    for (const char byte : raw.substr(1)) number = number * 256 + static_cast<unsigned char>(byte);
    return number;
  }
  std::string_view text(size_t column) const override {
    require(column, {kText, kVarchar, kName}, "text");
    return value(column);
  }
  std::string_view bytes(size_t column) const override {
    require(column, {kBytea}, "bytes");
    return value(column);
  }

 private:
  // From the server's catalog pg_type.dat.
  static constexpr Oid kBool = 16;
  static constexpr Oid kBytea = 17;
  static constexpr Oid kName = 19;
  static constexpr Oid kInt8 = 20;
  static constexpr Oid kInt4 = 23;
  static constexpr Oid kText = 25;
  static constexpr Oid kVarchar = 1043;

  std::string_view value(size_t column) const {
    const int index = static_cast<int>(column);
    return {pq().getvalue(result_, 0, index),
            static_cast<size_t>(pq().getlength(result_, 0, index))};
  }
  void require(size_t column, std::initializer_list<Oid> types, std::string_view what) const {
    const int index = static_cast<int>(column);
    if (!is_null(column) && std::ranges::count(types, pq().ftype(result_, index)) > 0) return;
    throw Error(ErrorCode::kCorrupt, fmt::format("PostgreSQL: the column {} does not hold {}",
                                                 pq().fname(result_, index), what));
  }

  const PGresult* result_;
};

class PostgresConnection final : public SqlConnection {
 public:
  PostgresConnection(Handle handle, const PostgresOptions& options,
                     const Cancellation& cancellation)
      : handle_(std::move(handle)),
        lock_timeout_(options.lock_timeout),
        answer_timeout_(options.answer_timeout),
        cancellation_(cancellation) {}

  int64_t execute(std::string_view sql, SqlValues values) override {
    send(sql, values);
    int64_t changed = 0;
    receive([&](const PGresult& result) {
      const std::string_view count = pq().cmdTuples(const_cast<PGresult*>(&result));
      std::from_chars(count.data(), count.data() + count.size(), changed);
    });
    return changed;
  }

  void query(std::string_view sql, SqlValues values, const Visitor& visit) override {
    send(sql, values);
    pq().setSingleRowMode(handle_.get());
    receive([&](const PGresult& result) {
      if (pq().resultStatus(&result) == PGRES_SINGLE_TUPLE) visit(Row(&result));
    });
  }

  void run_script(std::string_view sql) override {
    require_open();
    check_sent(pq().sendQuery(handle_.get(), std::string(sql).c_str()));
    receive([](const PGresult&) {});
  }

  void begin() override {
    run_script(
        fmt::format("BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = {}; "
                    "SET LOCAL idle_in_transaction_session_timeout = {}",
                    lock_timeout_.count(), lock_timeout_.count() / 2));
  }

  void commit() override {
    std::string done;
    require_open();
    check_sent(pq().sendQuery(handle_.get(), "COMMIT"));
    receive([&](const PGresult& result) { done = pq().cmdStatus(const_cast<PGresult*>(&result)); });
    // The server's answer to a COMMIT after a failed statement.
    if (done == "COMMIT") return;
    throw Error(ErrorCode::kInternal, "PostgreSQL: the transaction had failed before its commit");
  }

  void rollback() noexcept override {
    try {
      if (handle_ != nullptr) run_script("ROLLBACK");
    } catch (const Error&) {
      handle_.reset();
    }
  }

  bool is_usable() override {
    if (handle_ == nullptr || pq().transactionStatus(handle_.get()) != PQTRANS_IDLE) return false;
    // What a server says unasked is hardly ever anything but its farewell.
    pollfd waiting{.fd = pq().socket(handle_.get()), .events = POLLIN, .revents = 0};
    return ::poll(&waiting, 1, 0) == 0;
  }

  SqlDialect dialect() const override { return SqlDialect::kPostgres; }

 private:
  Steady::time_point deadline() const { return Steady::now() + answer_timeout_; }

  void require_open() const {
    if (handle_ == nullptr) {
      throw Error(ErrorCode::kUnavailable, "PostgreSQL: the connection is closed");
    }
  }

  void send(std::string_view sql, SqlValues values) {
    require_open();
    const Parameters parameters(values);
    constexpr int kBinary = 1;
    check_sent(pq().sendQueryParams(handle_.get(), std::string(sql).c_str(), parameters.count(),
                                    nullptr, parameters.pointers(), parameters.lengths(),
                                    parameters.formats(), kBinary));
  }

  // Whatever ends an exchange in its middle ends the connection: what the server sends next
  // belongs to the statement that was given up.
  template <typename Exchange>
  void or_close(Exchange exchange) {
    try {
      exchange();
    } catch (...) {
      handle_.reset();
      throw;
    }
  }

  void check_sent(int is_sent) {
    or_close([&] {
      if (is_sent == 0) throw lost();
      for (int left = pq().flush(handle_.get()); left != 0; left = pq().flush(handle_.get())) {
        if (left < 0) throw lost();
        wait_for_socket(handle_.get(), POLLIN | POLLOUT, deadline(), cancellation_);
        if (pq().consumeInput(handle_.get()) == 0) throw lost();
      }
    });
  }

  template <typename Take>
  void receive(Take take) {
    std::optional<Error> failure;
    or_close([&] {
      while (const Result result = next_result()) {
        switch (pq().resultStatus(result.get())) {
          case PGRES_COMMAND_OK:
          case PGRES_TUPLES_OK:
          case PGRES_SINGLE_TUPLE:
            take(*result);
            break;
          default:
            failure = error_of(*result);
        }
      }
    });
    if (failure) throw *failure;
  }

  Result next_result() {
    while (pq().isBusy(handle_.get()) != 0) {
      wait_for_socket(handle_.get(), POLLIN, deadline(), cancellation_);
      if (pq().consumeInput(handle_.get()) == 0) throw lost();
    }
    return Result(pq().getResult(handle_.get()));
  }

  Error error_of(const PGresult& result) const {
    const char* state = pq().resultErrorField(&result, PG_DIAG_SQLSTATE);
    const char* message = pq().resultErrorField(&result, PG_DIAG_MESSAGE_PRIMARY);
    if (state == nullptr || message == nullptr) return lost();
    return postgres_error(state, message);
  }

  Error lost() const { return postgres_connect_error(pq().errorMessage(handle_.get())); }

  Handle handle_;
  std::chrono::milliseconds lock_timeout_;
  std::chrono::milliseconds answer_timeout_;
  const Cancellation& cancellation_;
};

using Settings = std::vector<std::pair<std::string, std::string>>;

Settings connection_settings(const PostgresUrl& url) {
  // The later of two settings of one name counts.
  Settings settings = {{"application_name", "tidemark"}, {"tcp_user_timeout", "30000"}};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) settings.emplace_back(name, value);
  };
  add("host", url.host);
  add("port", url.port);
  add("user", url.user);
  add("password", url.password.reveal());
  add("dbname", url.database);
  settings.insert(settings.end(), url.parameters.begin(), url.parameters.end());
  settings.emplace_back("client_encoding", "UTF8");
  return settings;
}

std::chrono::milliseconds connect_timeout(const PostgresOptions& options) {
  for (const auto& [name, value] : options.url.parameters) {
    if (name != "connect_timeout") continue;
    int seconds = 0;
    std::from_chars(value.data(), value.data() + value.size(), seconds);
    if (seconds > 0) return std::chrono::seconds(seconds);
  }
  return options.connect_timeout;
}

Handle start_connecting(const PostgresUrl& url) {
  const Settings settings = connection_settings(url);
  std::vector<const char*> names;
  std::vector<const char*> values;
  for (const auto& [name, value] : settings) {
    names.push_back(name.c_str());
    values.push_back(value.c_str());
  }
  names.push_back(nullptr);
  values.push_back(nullptr);
  Handle handle(pq().connectStartParams(names.data(), values.data(), 0));
  if (handle == nullptr) throw Error(ErrorCode::kUnavailable, "PostgreSQL: no memory to connect");
  if (pq().status(handle.get()) == CONNECTION_BAD) {
    throw postgres_connect_error(pq().errorMessage(handle.get()));
  }
  return handle;
}

void finish_connecting(PGconn* handle, Steady::time_point deadline,
                       const Cancellation& cancellation) {
  PostgresPollingStatusType status = PGRES_POLLING_WRITING;
  while (status != PGRES_POLLING_OK) {
    if (status == PGRES_POLLING_FAILED) throw postgres_connect_error(pq().errorMessage(handle));
    wait_for_socket(handle, status == PGRES_POLLING_READING ? POLLIN : POLLOUT, deadline,
                    cancellation);
    status = pq().connectPoll(handle);
  }
}

}  // namespace

std::unique_ptr<SqlConnection> connect_postgres(const PostgresOptions& options,
                                                const Cancellation& cancellation) {
  const Steady::time_point deadline = Steady::now() + connect_timeout(options);
  Handle handle = start_connecting(options.url);
  // The default prints notices to stderr.
  pq().setNoticeProcessor(handle.get(), [](void*, const char*) {}, nullptr);
  pq().setErrorVerbosity(handle.get(), PQERRORS_VERBOSE);
  finish_connecting(handle.get(), deadline, cancellation);
  pq().setnonblocking(handle.get(), 1);
  return std::make_unique<PostgresConnection>(std::move(handle), options, cancellation);
}

}  // namespace tidemark::db
