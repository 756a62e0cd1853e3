#include "tidemark/db/duckdb.h"

#include <system_error>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/db/duckdb_api.h"
#include "tidemark/db/duckdb_error.h"
#include "tidemark/db/duckdb_impl.h"
#include "tidemark/db/quote.h"

namespace tidemark::db {
namespace {

class Config {
 public:
  explicit Config(const DuckDbApi& api) : api_(api) { api_.create_config(&handle_); }
  ~Config() { api_.destroy_config(&handle_); }
  Config(const Config&) = delete;
  Config& operator=(const Config&) = delete;

  void set(const char* name, const std::string& value) {
    if (api_.set_config(handle_, name, value.c_str()) != DuckDBSuccess) {
      throw Error(ErrorCode::kInvalid,
                  fmt::format("DuckDB does not take \"{}\" for {}", value, name));
    }
  }
  duckdb_config handle() const { return handle_; }

 private:
  const DuckDbApi& api_;
  duckdb_config handle_ = nullptr;
};

void apply(const DuckDbOptions& options, Config& config) {
  if (options.is_read_only) config.set("access_mode", "READ_ONLY");
  if (!options.memory_limit.empty()) config.set("memory_limit", options.memory_limit);
  if (options.threads > 0) config.set("threads", std::to_string(options.threads));
  if (!options.preserves_insertion_order) config.set("preserve_insertion_order", "false");
  if (!options.storage_version.empty()) {
    config.set("storage_compatibility_version", options.storage_version);
  }
}

void require_folder(const std::filesystem::path& file) {
  std::error_code ignored;
  const std::filesystem::path folder = file.parent_path();
  if (file.empty() || std::filesystem::is_directory(folder, ignored)) return;
  throw Error(ErrorCode::kNotFound,
              fmt::format("the folder {} of the DuckDB database {} does not exist", folder.string(),
                          file.filename().string()));
}

// A prepared statement.
class Statement {
 public:
  Statement(const DuckDbApi& api, duckdb_connection connection, const std::string& sql)
      : api_(api) {
    if (api_.prepare(connection, sql.c_str(), &handle_) == DuckDBSuccess) return;
    const std::string reason = api_.prepare_error(handle_);
    api_.destroy_prepare(&handle_);
    throw duckdb_error(reason);
  }
  ~Statement() { api_.destroy_prepare(&handle_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  void bind(idx_t index, const Parameter& parameter) {
    const auto state = std::visit(
        [&](const auto& value) {
          using T = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<T, std::nullptr_t>) {
            return api_.bind_null(handle_, index);
          } else if constexpr (std::is_same_v<T, int64_t>) {
            return api_.bind_int64(handle_, index, value);
          } else if constexpr (std::is_same_v<T, Time>) {
            return api_.bind_timestamp_tz(handle_, index, {value.time_since_epoch().count()});
          } else {
            return api_.bind_varchar_length(handle_, index, value.data(), value.size());
          }
        },
        parameter);
    if (state != DuckDBSuccess) {
      throw Error(ErrorCode::kInternal, fmt::format("DuckDB did not take parameter {}", index));
    }
  }

  void run(duckdb_result& result) {
    if (api_.execute_prepared(handle_, &result) == DuckDBSuccess) return;
    throw duckdb_error(api_.result_error(&result));
  }

 private:
  const DuckDbApi& api_;
  duckdb_prepared_statement handle_ = nullptr;
};

// The name that a file's database has when it is opened by itself.
std::string database_name(const std::filesystem::path& file) {
  std::string stem = file.stem().string();
  for (const std::string_view taken : {"main", "memory", "system", "temp"}) {
    if (stem == taken) return stem + "_db";
  }
  return stem;
}

}  // namespace

struct DuckDbDatabase::Impl {
  const DuckDbApi& api;
  duckdb_database handle = nullptr;
  std::string attached = {};  // the name of the file's database where it is not the instance's own
};

struct DuckDbRows::Impl {
  const DuckDbApi& api;
  duckdb_result result = {};
  duckdb_data_chunk chunk = nullptr;
  idx_t row = 0;   // in the chunk
  idx_t rows = 0;  // of the chunk

  explicit Impl(const DuckDbApi& functions) : api(functions) {}
  ~Impl() {
    api.destroy_data_chunk(&chunk);
    api.destroy_result(&result);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // The column's values in this chunk.
  template <typename T>
  const T* values(size_t column) const {
    return static_cast<const T*>(api.vector_get_data(api.data_chunk_get_vector(chunk, column)));
  }
  duckdb_type type(size_t column) const {
    // The C interface takes the result as mutable, also to look at it.
    return api.column_type(const_cast<duckdb_result*>(&result), column);
  }
};

std::unique_ptr<DuckDbDatabase> DuckDbDatabase::open(const DuckDbOptions& options) {
  const DuckDbApi& api = load_duckdb(options.library);
  require_folder(options.file);
  const std::string file = options.file.empty() ? ":memory:" : options.file.string();
  // The size of row groups is an option of ATTACH alone: the instance is then one in memory, which
  // goes by the name of the file, so that all who open the file in this process share it.
  const bool attaches = options.row_group_size > 0 && !options.file.empty();
  Config config(api);
  apply(options, config);
  if (attaches) config.set("temp_directory", file + ".tmp");
  auto impl = std::make_unique<Impl>(Impl{api});
  char* message = nullptr;
  if (api.get_or_create_from_cache(api.instances, (attaches ? ":memory:" + file : file).c_str(),
                                   &impl->handle, config.handle(), &message) != DuckDBSuccess) {
    const std::string reason = message != nullptr ? message : "no reason given";
    api.free(message);
    const Error error = duckdb_error(reason);
    throw Error(error.code(), fmt::format("cannot open {}: {}", file, error.message()));
  }
  if (attaches) impl->attached = database_name(options.file);
  std::unique_ptr<DuckDbDatabase> database(new DuckDbDatabase(std::move(impl)));
  if (attaches) database->attach(options);
  return database;
}

void DuckDbDatabase::attach(const DuckDbOptions& options) {
  try {
    open_connection()->execute(fmt::format(
        "ATTACH IF NOT EXISTS {} AS {} (ROW_GROUP_SIZE {})", quote_literal(options.file.string()),
        quote_identifier(impl_->attached), options.row_group_size));
  } catch (Error& error) {
    error.add_context(fmt::format("cannot open {}", options.file.string()));
    throw;
  }
}

DuckDbDatabase::DuckDbDatabase(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

DuckDbDatabase::~DuckDbDatabase() { impl_->api.close(&impl_->handle); }

std::unique_ptr<DuckDbConnection> DuckDbDatabase::open_connection() {
  auto impl = std::make_unique<DuckDbConnection::Impl>(DuckDbConnection::Impl{impl_->api});
  if (impl_->api.connect(impl_->handle, &impl->handle) != DuckDBSuccess) {
    throw Error(ErrorCode::kInternal, "DuckDB gave no connection");
  }
  return std::unique_ptr<DuckDbConnection>(new DuckDbConnection(std::move(impl)));
}

std::unique_ptr<DuckDbConnection> DuckDbDatabase::connect() {
  std::unique_ptr<DuckDbConnection> connection = open_connection();
  connection->execute("SET TimeZone = 'UTC'");
  if (!impl_->attached.empty()) connection->execute("USE " + quote_identifier(impl_->attached));
  return connection;
}

DuckDbConnection::DuckDbConnection(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

DuckDbConnection::~DuckDbConnection() { impl_->api.disconnect(&impl_->handle); }

DuckDbRows DuckDbConnection::query(std::string_view sql,
                                   std::initializer_list<Parameter> parameters) {
  Statement statement(impl_->api, impl_->handle, std::string(sql));
  idx_t index = 0;
  for (const Parameter& parameter : parameters) statement.bind(++index, parameter);
  auto rows = std::make_unique<DuckDbRows::Impl>(impl_->api);
  statement.run(rows->result);
  return DuckDbRows(std::move(rows));
}

uint64_t DuckDbConnection::execute(std::string_view sql,
                                   std::initializer_list<Parameter> parameters) {
  return impl_->api.rows_changed(&query(sql, parameters).impl_->result);
}

void DuckDbConnection::check(std::string_view sql) {
  const Statement prepared(impl_->api, impl_->handle, std::string(sql));
}

void DuckDbConnection::interrupt() { impl_->api.interrupt(impl_->handle); }

DuckDbRows::DuckDbRows(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

DuckDbRows::~DuckDbRows() = default;

size_t DuckDbRows::column_count() const { return impl_->api.column_count(&impl_->result); }

bool DuckDbRows::next() {
  if (++impl_->row < impl_->rows) return true;
  impl_->row = 0;
  do {
    impl_->api.destroy_data_chunk(&impl_->chunk);
    impl_->chunk = impl_->api.fetch_chunk(impl_->result);
    impl_->rows = impl_->chunk == nullptr ? 0 : impl_->api.data_chunk_get_size(impl_->chunk);
  } while (impl_->rows == 0 && impl_->chunk != nullptr);
  return impl_->rows > 0;
}

bool DuckDbRows::is_null(size_t column) const {
  const uint64_t* validity =
      impl_->api.vector_get_validity(impl_->api.data_chunk_get_vector(impl_->chunk, column));
  return validity != nullptr && (validity[impl_->row / 64] >> (impl_->row % 64) & 1) == 0;
}

std::string_view DuckDbRows::text(size_t column) const {
  const duckdb_type type = impl_->type(column);
  if (type != DUCKDB_TYPE_VARCHAR && type != DUCKDB_TYPE_BLOB) {
    throw Error(ErrorCode::kInternal, fmt::format("column {} of the result is no text", column));
  }
  const duckdb_string_t& value = impl_->values<duckdb_string_t>(column)[impl_->row];
  const uint32_t length = value.value.inlined.length;
  return {length <= sizeof value.value.inlined.inlined ? value.value.inlined.inlined
                                                       : value.value.pointer.ptr,
          length};
}

int64_t DuckDbRows::integer(size_t column) const {
  if (impl_->type(column) != DUCKDB_TYPE_BIGINT) {
    throw Error(ErrorCode::kInternal, fmt::format("column {} of the result is no bigint", column));
  }
  return impl_->values<int64_t>(column)[impl_->row];
}

}  // namespace tidemark::db
