#include "tidemark/db/batch_function.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/db/batch_vector.h"
#include "tidemark/db/duckdb_error.h"
#include "tidemark/db/duckdb_impl.h"

namespace tidemark::db {

struct BatchOffer::State {
  const BatchSource& source;
  std::mutex mutex;
  std::exception_ptr first_failure;

  explicit State(const BatchSource& offered) : source(offered) {}

  void remember(std::exception_ptr failure) noexcept {
    const std::lock_guard lock(mutex);
    if (first_failure == nullptr) first_failure = std::move(failure);
  }
};

// The offers by their number, which is the function's argument in SQL.
struct BatchRegistry {
  std::mutex mutex;
  int64_t last_id = 0;
  std::map<int64_t, std::shared_ptr<BatchOffer::State>> offers;

  std::shared_ptr<BatchOffer::State> find(int64_t id) {
    const std::lock_guard lock(mutex);
    const auto found = offers.find(id);
    return found == offers.end() ? nullptr : found->second;
  }
};

namespace {

// One use of an offer in a statement.
struct Bound {
  std::shared_ptr<BatchOffer::State> offer;
};

// One execution of it, shared by its threads.
struct Scan {
  std::vector<idx_t> wanted;  // columns of the source; behind the last one is the row number
  std::atomic<size_t> next_batch = 0;
};

// One thread of that.
struct Worker {
  std::unique_ptr<BatchReader> reader;
  const columns::Chunk* chunk = nullptr;
  std::vector<const columns::ColumnView*> views;  // by wanted column; nullptr = null in all rows
  size_t row = 0;                                 // the next one in the chunk
};

template <typename T>
void destroy(void* object) {
  delete static_cast<T*>(object);
}

// Runs the body of a callback: no exception may reach DuckDB's frames.
template <typename Body, typename Report>
void guard(Body body, Report report) noexcept {
  try {
    body();
  } catch (const std::exception& error) {
    report(error.what());
  } catch (...) {
    report("unknown failure");
  }
}

// The column's values in the chunk, looked for from `hint` on: chunks mostly keep the table's
// order.
const columns::ColumnView* find_view(const columns::Chunk& chunk, const BatchColumn& column,
                                     size_t& hint) {
  const size_t count = chunk.infos.size();
  for (size_t i = 0; i < count; ++i) {
    const size_t at = (hint + i) % count;
    if (chunk.infos[at].name != column.name) continue;
    hint = at + 1;
    const columns::ColumnView& view = chunk.views[at];
    if (view.layout != layout_of(column.type) ||
        (column.type == BatchType::kDecimal && chunk.infos[at].scale != column.scale)) {
      throw Error(ErrorCode::kCorrupt,
                  fmt::format("column {}: the values of a batch are not of its type", column.name));
    }
    return &view;
  }
  return nullptr;
}

// Takes the next batch that has rows. False when there is none.
bool advance(const BatchSource& source, Scan& scan, Worker& worker) {
  do {
    const size_t batch = scan.next_batch++;
    if (batch >= source.batch_count()) return false;
    worker.chunk = &worker.reader->read(batch);
  } while (worker.chunk->rows == 0);
  worker.row = 0;
  worker.views.clear();
  size_t hint = 0;
  for (const idx_t column : scan.wanted) {
    worker.views.push_back(column < source.columns().size()
                               ? find_view(*worker.chunk, source.columns()[column], hint)
                               : nullptr);
  }
  return true;
}

void fill(const DuckDbApi& api, const BatchSource& source, Scan& scan, Worker& worker,
          duckdb_data_chunk output) {
  if (worker.chunk == nullptr || worker.row == worker.chunk->rows) {
    if (!advance(source, scan, worker)) {
      api.data_chunk_set_size(output, 0);
      return;
    }
  }
  const size_t rows = std::min<size_t>(api.vector_size(), worker.chunk->rows - worker.row);
  for (size_t i = 0; i < scan.wanted.size(); ++i) {
    duckdb_vector vector = api.data_chunk_get_vector(output, i);
    if (scan.wanted[i] == source.columns().size()) {
      write_row_numbers(api, vector, worker.chunk->first_row + worker.row, rows);
    } else if (worker.views[i] == nullptr) {
      write_nulls(api, vector, rows);
    } else {
      write_vector(api, vector, *worker.views[i], worker.row, rows);
    }
  }
  api.data_chunk_set_size(output, rows);
  worker.row += rows;
}

void add_result_column(const DuckDbApi& api, duckdb_bind_info info, const BatchColumn& column) {
  duckdb_logical_type type = make_logical_type(api, column);
  api.bind_add_result_column(info, column.name.c_str(), type);
  api.destroy_logical_type(&type);
}

int64_t first_argument(const DuckDbApi& api, duckdb_bind_info info) {
  duckdb_value value = api.bind_get_parameter(info, 0);
  const int64_t number = api.get_int64(value);
  api.destroy_value(&value);
  return number;
}

void on_bind(duckdb_bind_info info) noexcept {
  const DuckDbApi& api = loaded_duckdb();
  guard(
      [&] {
        auto& registry =
            **static_cast<std::shared_ptr<BatchRegistry>*>(api.bind_get_extra_info(info));
        auto bound = std::make_unique<Bound>(Bound{registry.find(first_argument(api, info))});
        if (bound->offer == nullptr) throw Error(ErrorCode::kInvalid, "no such batches");
        const BatchSource& source = bound->offer->source;
        for (const BatchColumn& column : source.columns()) add_result_column(api, info, column);
        add_result_column(api, info, {std::string(kRowNumberColumn), BatchType::kBigint});
        api.bind_set_cardinality(info, source.rows(), true);
        api.bind_set_bind_data(info, bound.release(), destroy<Bound>);
      },
      [&](const char* message) { api.bind_set_error(info, message); });
}

void on_init(duckdb_init_info info) noexcept {
  const DuckDbApi& api = loaded_duckdb();
  guard(
      [&] {
        const auto& bound = *static_cast<Bound*>(api.init_get_bind_data(info));
        auto scan = std::make_unique<Scan>();
        const idx_t count = api.init_get_column_count(info);
        for (idx_t i = 0; i < count; ++i) {
          scan->wanted.push_back(api.init_get_column_index(info, i));
        }
        api.init_set_max_threads(info, std::max<size_t>(1, bound.offer->source.batch_count()));
        api.init_set_init_data(info, scan.release(), destroy<Scan>);
      },
      [&](const char* message) { api.init_set_error(info, message); });
}

void on_init_worker(duckdb_init_info info) noexcept {
  const DuckDbApi& api = loaded_duckdb();
  guard(
      [&] {
        const auto& bound = *static_cast<Bound*>(api.init_get_bind_data(info));
        auto worker = std::make_unique<Worker>();
        worker->reader = bound.offer->source.make_reader();
        api.init_set_init_data(info, worker.release(), destroy<Worker>);
      },
      [&](const char* message) { api.init_set_error(info, message); });
}

void on_rows(duckdb_function_info info, duckdb_data_chunk output) noexcept {
  const DuckDbApi& api = loaded_duckdb();
  BatchOffer::State& offer = *static_cast<Bound*>(api.function_get_bind_data(info))->offer;
  guard(
      [&] {
        try {
          fill(api, offer.source, *static_cast<Scan*>(api.function_get_init_data(info)),
               *static_cast<Worker*>(api.function_get_local_init_data(info)), output);
        } catch (const Error&) {
          offer.remember(std::current_exception());
          throw;
        } catch (const std::exception& error) {
          // DuckDB's own, out of its functions that the rows are handed over with.
          offer.remember(std::make_exception_ptr(duckdb_error(error.what())));
          throw;
        }
      },
      [&](const char* message) { api.function_set_error(info, message); });
}

// Functions live in the catalog of the whole database, so each connection needs a name of its own.
// The function keeps its registry alive, so while it is there no other one has the same address.
std::string function_name(const BatchRegistry& registry) {
  return fmt::format("tidemark_batches_{:x}", reinterpret_cast<uintptr_t>(&registry));
}

}  // namespace

BatchFunction::BatchFunction(DuckDbConnection& connection)
    : registry_(std::make_shared<BatchRegistry>()), name_(function_name(*registry_)) {
  const DuckDbApi& api = connection.impl_->api;
  duckdb_table_function function = api.create_table_function();
  duckdb_logical_type bigint = api.create_logical_type(DUCKDB_TYPE_BIGINT);
  api.table_function_set_name(function, name_.c_str());
  api.table_function_add_parameter(function, bigint);
  api.table_function_set_extra_info(function, new std::shared_ptr<BatchRegistry>(registry_),
                                    destroy<std::shared_ptr<BatchRegistry>>);
  api.table_function_set_bind(function, on_bind);
  api.table_function_set_init(function, on_init);
  api.table_function_set_local_init(function, on_init_worker);
  api.table_function_set_function(function, on_rows);
  api.table_function_supports_projection_pushdown(function, true);
  const duckdb_state state = api.register_table_function(connection.impl_->handle, function);
  api.destroy_logical_type(&bigint);
  api.destroy_table_function(&function);
  if (state != DuckDBSuccess) {
    throw Error(ErrorCode::kInternal, fmt::format("DuckDB did not take the function {}", name_));
  }
}

BatchFunction::~BatchFunction() = default;

BatchOffer::BatchOffer(BatchFunction& function, const BatchSource& source)
    : registry_(function.registry_), state_(std::make_shared<State>(source)) {
  const std::lock_guard lock(registry_->mutex);
  id_ = ++registry_->last_id;
  registry_->offers.emplace(id_, state_);
  sql_ = fmt::format("{}({})", function.name_, id_);
}

BatchOffer::~BatchOffer() {
  const std::lock_guard lock(registry_->mutex);
  registry_->offers.erase(id_);
}

void BatchOffer::rethrow() const {
  const std::lock_guard lock(state_->mutex);
  if (state_->first_failure != nullptr) std::rethrow_exception(state_->first_failure);
}

}  // namespace tidemark::db
