#include "tidemark/db/batch_function.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/columns/builder.h"

namespace tidemark::db {
namespace {

using columns::ColumnBuilder;
using columns::Layout;
using testing::ElementsAre;

// Chunks in memory, made by one function for every batch.
class MadeSource final : public BatchSource {
 public:
  struct Batch {
    std::vector<ColumnBuilder> builders;
    columns::Chunk chunk;

    ColumnBuilder& add(std::string name, Layout layout, int scale = 0) {
      chunk.infos.push_back({std::move(name), "", layout, scale});
      return builders.emplace_back(layout);
    }
  };
  using Make = std::function<void(size_t, Batch&)>;

  MadeSource(std::vector<BatchColumn> columns, size_t batches, uint64_t rows, Make make)
      : columns_(std::move(columns)), batches_(batches), rows_(rows), make_(std::move(make)) {}

  const std::vector<BatchColumn>& columns() const override { return columns_; }
  uint64_t rows() const override { return rows_; }
  size_t batch_count() const override { return batches_; }
  std::unique_ptr<BatchReader> make_reader() const override {
    return std::make_unique<Reader>(make_);
  }

 private:
  class Reader final : public BatchReader {
   public:
    explicit Reader(const Make& make) : make_(make) {}
    const columns::Chunk& read(size_t batch) override {
      batch_ = {};
      batch_.builders.reserve(64);
      make_(batch, batch_);
      for (const ColumnBuilder& builder : batch_.builders) {
        batch_.chunk.views.push_back(builder.view());
      }
      return batch_.chunk;
    }

   private:
    const Make& make_;
    Batch batch_;
  };

  std::vector<BatchColumn> columns_;
  size_t batches_;
  uint64_t rows_;
  Make make_;
};

class BatchFunctionTest : public testing::Test {
 protected:
  // The first row, every value cast to text.
  std::vector<std::string> first_row(const std::string& sql) {
    DuckDbRows rows = connection_->query("SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (" + sql + ")");
    std::vector<std::string> values;
    if (!rows.next()) return values;
    for (size_t i = 0; i < rows.column_count(); ++i) {
      values.emplace_back(rows.is_null(i) ? "null" : rows.text(i));
    }
    return values;
  }

  std::unique_ptr<DuckDbDatabase> database_ =
      DuckDbDatabase::open({.preserves_insertion_order = false});
  std::unique_ptr<DuckDbConnection> connection_ = database_->connect();
  BatchFunction function_{*connection_};
};

const std::string kLong = "a text that does not fit into a vector: \xE2\x82\xAC";

TEST_F(BatchFunctionTest, ValuesOfEveryTypeComeBackEqual) {
  const MadeSource source(
      {{"b", BatchType::kBoolean},
       {"d", BatchType::kDate},
       {"t", BatchType::kTime},
       {"naive", BatchType::kTimestamp},
       {"aware", BatchType::kTimestampTz},
       {"i", BatchType::kBigint},
       {"f", BatchType::kDouble},
       {"dec", BatchType::kDecimal, 9},
       {"s", BatchType::kVarchar},
       {"l", BatchType::kVarchar},
       {"j", BatchType::kJson},
       {"x", BatchType::kBlob}},
      1, 1, [](size_t, MadeSource::Batch& batch) {
        batch.chunk.rows = 1;
        batch.add("b", Layout::kBool).append_bool(true);
        batch.add("d", Layout::kInt32).append_int32(-1);
        batch.add("t", Layout::kInt64).append_int64(3'723'000'004);
        batch.add("naive", Layout::kInt64).append_int64(1'704'164'645'678'900);
        batch.add("aware", Layout::kInt64).append_int64(-1);
        batch.add("i", Layout::kInt64).append_int64(INT64_MIN);
        batch.add("f", Layout::kDouble).append_double(-0.0);
        columns::Int128 digits = 0;
        for (int i = 0; i < 38; ++i) digits = digits * 10 + 9;
        batch.add("dec", Layout::kInt128, 9).append_int128(-digits);
        batch.add("s", Layout::kBytes).append_bytes(std::string_view("a\0b", 3));
        batch.add("l", Layout::kBytes).append_bytes(kLong);
        batch.add("j", Layout::kBytes).append_bytes(R"({"b":[1,null],  "a":1.0})");
        batch.add("x", Layout::kBytes).append_bytes(std::string_view("\0\xFF'", 3));
      });
  const BatchOffer offer(function_, source);
  EXPECT_THAT(first_row("SELECT * FROM " + offer.sql()),
              ElementsAre("true", "1969-12-31", "01:02:03.000004", "2024-01-02 03:04:05.6789",
                          "1969-12-31 23:59:59.999999+00", "-9223372036854775808", "-0.0",
                          "-99999999999999999999999999999.999999999", std::string("a\0b", 3), kLong,
                          R"({"b":[1,null],  "a":1.0})", R"(\x00\xFF\x27)", "0"));
  EXPECT_THAT(first_row("SELECT typeof(dec), typeof(j), typeof(x) FROM " + offer.sql()),
              ElementsAre("DECIMAL(38,9)", "JSON", "BLOB"));
}

// Rows around the size of a vector, in several chunks of which each lacks another column.
class BatchBorders : public BatchFunctionTest, public testing::WithParamInterface<size_t> {};

TEST_P(BatchBorders, EveryRowArrivesOnceWithItsNumber) {
  const size_t rows = GetParam();
  constexpr size_t kBatches = 5;
  const MadeSource source(
      {{"n", BatchType::kBigint},
       {"even", BatchType::kVarchar},
       {"odd", BatchType::kBoolean},
       {"third", BatchType::kBigint}},
      kBatches, rows * kBatches, [rows](size_t number, MadeSource::Batch& batch) {
        batch.chunk.rows = rows;
        batch.chunk.first_row = number * rows;
        // In another order than the offered one.
        ColumnBuilder& third = batch.add("third", Layout::kInt64);
        ColumnBuilder* even = number % 2 == 0 ? &batch.add("even", Layout::kBytes) : nullptr;
        ColumnBuilder* odd = number % 2 == 1 ? &batch.add("odd", Layout::kBool) : nullptr;
        ColumnBuilder& n = batch.add("n", Layout::kInt64);
        for (size_t i = 0; i < rows; ++i) {
          const auto value = static_cast<int64_t>(number * rows + i);
          n.append_int64(value);
          if (value % 3 == 0) {
            third.append_int64(value);
          } else {
            third.append_null();
          }
          if (even != nullptr) even->append_bytes(std::to_string(value));
          if (odd != nullptr) odd->append_bool(value % 5 == 0);
        }
      });
  const BatchOffer offer(function_, source);
  const std::string batch = "(n // " + std::to_string(rows) + ")";
  const auto total = static_cast<int64_t>(rows * kBatches);
  EXPECT_THAT(first_row("SELECT count(*), count(DISTINCT n), sum(n), count_if(_tidemark_row = n),"
                        " count_if(third IS NOT DISTINCT FROM CASE WHEN n % 3 = 0 THEN n END),"
                        " count_if(even IS NOT DISTINCT FROM CASE WHEN " +
                        batch +
                        " % 2 = 0 THEN n::VARCHAR END),"
                        " count_if(odd IS NOT DISTINCT FROM CASE WHEN " +
                        batch + " % 2 = 1 THEN n % 5 = 0 END) FROM " + offer.sql()),
              ElementsAre(std::to_string(total), std::to_string(total),
                          std::to_string(total * (total - 1) / 2), std::to_string(total),
                          std::to_string(total), std::to_string(total), std::to_string(total)));
}

INSTANTIATE_TEST_SUITE_P(Rows, BatchBorders, testing::Values(1, 63, 64, 2047, 2048, 2049, 8000));

TEST_F(BatchFunctionTest, OneOfferCanBeReadAgainAndInsertedFrom) {
  const MadeSource source({{"n", BatchType::kBigint}}, 3, 3, [](size_t number, auto& batch) {
    batch.chunk.rows = 1;
    batch.add("n", Layout::kInt64).append_int64(static_cast<int64_t>(number));
  });
  const BatchOffer offer(function_, source);
  connection_->execute("CREATE TABLE t (n BIGINT)");
  connection_->execute("BEGIN TRANSACTION");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(connection_->execute("INSERT INTO t SELECT n FROM " + offer.sql()), 3u);
  }
  connection_->execute("COMMIT");
  EXPECT_THAT(first_row("SELECT count(*), sum(n) FROM t"), ElementsAre("6", "6"));
}

TEST_F(BatchFunctionTest, AnEmptySourceHasNoRows) {
  const MadeSource source({{"n", BatchType::kBigint}}, 2, 0,
                          [](size_t, auto& batch) { batch.add("n", Layout::kInt64); });
  const BatchOffer offer(function_, source);
  EXPECT_THAT(first_row("SELECT count(*) FROM " + offer.sql()), ElementsAre("0"));
}

TEST_F(BatchFunctionTest, WhatAReaderThrowsKeepsItsCode) {
  const MadeSource source({{"n", BatchType::kBigint}}, 1, 1, [](size_t, MadeSource::Batch&) {
    throw Error(ErrorCode::kUnavailable, "the disk went away");
  });
  const BatchOffer offer(function_, source);
  EXPECT_NO_THROW(offer.rethrow());
  EXPECT_THROW(connection_->query("SELECT * FROM " + offer.sql()), Error);
  try {
    offer.rethrow();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
    EXPECT_EQ(error.message(), "the disk went away");
  }
}

TEST_F(BatchFunctionTest, ValuesOfAnotherTypeAreCorrupt) {
  const MadeSource source({{"n", BatchType::kBigint}}, 1, 1, [](size_t, auto& batch) {
    batch.chunk.rows = 1;
    batch.add("n", Layout::kInt32).append_int32(1);
  });
  const BatchOffer offer(function_, source);
  EXPECT_THROW(connection_->query("SELECT * FROM " + offer.sql()), Error);
  EXPECT_THROW(offer.rethrow(), Error);
}

TEST_F(BatchFunctionTest, AnOfferThatIsGoneIsRefused) {
  std::string sql;
  {
    const MadeSource source({{"n", BatchType::kBigint}}, 0, 0, [](size_t, MadeSource::Batch&) {});
    const BatchOffer offer(function_, source);
    sql = offer.sql();
    EXPECT_NO_THROW(connection_->query("SELECT * FROM " + sql));
  }
  EXPECT_THROW(connection_->query("SELECT * FROM " + sql), Error);
}

}  // namespace
}  // namespace tidemark::db
