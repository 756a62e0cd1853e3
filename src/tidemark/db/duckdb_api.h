#pragma once

// Private to this module: DuckDB's C interface as a table of functions that were looked up in a
// library loaded at run time. duckdb.h gives their types; nothing links against DuckDB.

#include <filesystem>

#include <duckdb.h>

namespace tidemark::db {

// clang-format off
#define TIDEMARK_DUCKDB_FUNCTIONS(X)                                                            \
  X(create_config) X(set_config) X(destroy_config) X(create_instance_cache)  \
  X(destroy_instance_cache) X(get_or_create_from_cache) X(close) X(connect) X(disconnect)       \
  X(free) X(interrupt) X(vector_size) X(prepare) X(prepare_error) X(destroy_prepare) X(execute_prepared)     \
  X(bind_null) X(bind_int64) X(bind_varchar_length) X(bind_timestamp_tz) X(result_error)        \
  X(destroy_result) X(rows_changed) X(fetch_chunk) X(column_count) X(column_type)               \
  X(destroy_data_chunk) X(data_chunk_get_size) X(data_chunk_get_vector) X(data_chunk_set_size)  \
  X(vector_get_data) X(vector_get_validity) X(vector_ensure_validity_writable)                  \
  X(unsafe_vector_assign_string_element_len) X(create_logical_type) X(create_decimal_type)      \
  X(logical_type_set_alias) X(destroy_logical_type) X(create_table_function)                    \
  X(destroy_table_function) X(table_function_set_name) X(table_function_add_parameter)          \
  X(table_function_set_extra_info) X(table_function_set_bind) X(table_function_set_init)        \
  X(table_function_set_local_init) X(table_function_set_function)                               \
  X(table_function_supports_projection_pushdown) X(register_table_function)                     \
  X(bind_get_extra_info) X(bind_get_parameter) X(get_int64) X(destroy_value)                    \
  X(bind_add_result_column) X(bind_set_bind_data) X(bind_set_cardinality) X(bind_set_error)     \
  X(init_get_bind_data) X(init_set_init_data) X(init_get_column_count) X(init_get_column_index) \
  X(init_set_max_threads) X(init_set_error) X(function_get_bind_data) X(function_get_init_data) \
  X(function_get_local_init_data) X(function_set_error)
// clang-format on

struct DuckDbApi {
  DuckDbApi() = default;
  ~DuckDbApi() {
    if (instances != nullptr) destroy_instance_cache(&instances);
  }
  DuckDbApi(const DuckDbApi&) = delete;
  DuckDbApi& operator=(const DuckDbApi&) = delete;

// NOLINTNEXTLINE(bugprone-macro-parentheses): the name of a member.
#define X(name) decltype(&::duckdb_##name) name = nullptr;
  TIDEMARK_DUCKDB_FUNCTIONS(X)
#undef X

  // Databases of this process by file. Two instances on one file would take away each other's file
  // lock, which belongs to the process.
  duckdb_instance_cache instances = nullptr;
};

// The functions of DuckDB's library, loaded at the first call. It is looked for at `library` when
// that is not empty, else beside the running program (../lib/tidemark/libduckdb.so), else where the
// build found it. A process has one: a later call for another one is Error kInvalid. Never
// unloaded: DuckDB leaves threads behind. Thread-safe. Error kNotFound says where it was looked
// for, kUnsupported that the library is too old.
const DuckDbApi& load_duckdb(const std::filesystem::path& library);

// What load_duckdb() returned, for callbacks: DuckDB hands them no way to it.
const DuckDbApi& loaded_duckdb() noexcept;

}  // namespace tidemark::db
