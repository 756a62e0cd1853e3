#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/columns/chunk.h"
#include "tidemark/db/duckdb.h"

namespace tidemark::db {

// The DuckDB type under which a column of batches is offered.
enum class BatchType : uint8_t {
  kBoolean,
  kDate,
  kTime,
  kTimestamp,  // without a zone
  kTimestampTz,
  kBigint,
  kDouble,
  kDecimal,  // of 38 digits
  kVarchar,  // valid UTF-8, taken at its word
  kJson,     // valid JSON, taken at its word
  kBlob,
};

struct BatchColumn {
  std::string name;
  BatchType type = BatchType::kVarchar;
  int scale = 0;  // kDecimal only

  bool operator==(const BatchColumn&) const = default;
};

// Reads batches one after the other on one thread.
class BatchReader {
 public:
  virtual ~BatchReader() = default;
  // The batch and its values stay valid until the next call. Columns may come in any order and may
  // be missing: they are null then. May throw.
  virtual const columns::Chunk& read(size_t batch) = 0;
};

// Rows in numbered batches that can be read any number of times. Thread-safe.
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  virtual const std::vector<BatchColumn>& columns() const = 0;
  virtual uint64_t rows() const = 0;
  virtual size_t batch_count() const = 0;
  virtual std::unique_ptr<BatchReader> make_reader() const = 0;
};

// The last column of every offer: the number of the row, first_row + its place in the chunk.
inline constexpr std::string_view kRowNumberColumn = "_tidemark_row";

struct BatchRegistry;

// A table function of DuckDB that hands out batches, on as many threads as DuckDB has.
class BatchFunction {
 public:
  // Registers it, outside of a transaction. Must not outlive the connection.
  explicit BatchFunction(DuckDbConnection& connection);
  ~BatchFunction();
  BatchFunction(const BatchFunction&) = delete;
  BatchFunction& operator=(const BatchFunction&) = delete;

 private:
  friend class BatchOffer;
  std::shared_ptr<BatchRegistry> registry_;
  std::string name_;
};

// A source that statements of the connection can read while the offer lives.
class BatchOffer {
 public:
  // source must outlive the offer.
  BatchOffer(BatchFunction& function, const BatchSource& source);
  ~BatchOffer();
  BatchOffer(const BatchOffer&) = delete;
  BatchOffer& operator=(const BatchOffer&) = delete;

  // What stands for the rows in a FROM clause.
  const std::string& sql() const { return sql_; }
  // Throws what a reader threw, if one did: DuckDB passes on only the text.
  void rethrow() const;

  struct State;

 private:
  std::shared_ptr<BatchRegistry> registry_;
  std::shared_ptr<State> state_;
  int64_t id_ = 0;
  std::string sql_;
};

}  // namespace tidemark::db
