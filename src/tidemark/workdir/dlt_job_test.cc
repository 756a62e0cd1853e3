#include "tidemark/workdir/dlt_job.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/os/files.h"
#include "tidemark/os/temp_directory.h"
#include "tidemark/schema/schema.h"
#include "tidemark/workdir/job_text.h"
#include "tidemark/workdir/testing.h"

namespace tidemark::workdir {
namespace {

using columns::ColumnBuilder;
using columns::Int128;
using columns::Layout;

// One row with a value of every type, and one of nulls.
class JobText : public ::testing::Test {
 protected:
  JobText() {
    add("small", "bigint", Layout::kInt64).append_int64(INT64_MIN);
    add("real", "double", Layout::kDouble).append_double(0.1);
    add("yes", "bool", Layout::kBool).append_bool(true);
    add("amount", "decimal", Layout::kInt128, 9).append_int128(Int128{-1'500'000});
    add("wei", "wei", Layout::kInt128).append_int128(Int128{12});
    add("at", "timestamp", Layout::kInt64).append_int64(1'704'164'645'678'900);
    add("naive", "timestamp", Layout::kInt64).append_int64(0);
    columns_.back().has_timezone = false;
    add("day", "date", Layout::kInt32).append_int32(19'724);
    add("time", "time", Layout::kInt64).append_int64(3'723'000'000);
    add("raw", "binary", Layout::kBytes).append_bytes(std::string_view("\0\xFF", 2));
    add("say \"it\"", "text", Layout::kBytes).append_bytes("it's\\\n\r");
    add("zero", "text", Layout::kBytes).append_bytes(std::string_view("\0", 1));
    add("doc", "json", Layout::kBytes).append_bytes("{\"a\":\n1.0}");
    for (ColumnBuilder& builder : builders_) builder.append_null();
    for (const ColumnBuilder& builder : builders_) views_.push_back(builder.view());
    for (const columns::ColumnView& view : views_) rows_.views.push_back(&view);
  }

  ColumnBuilder& add(const char* name, const char* type, Layout layout, int scale = 0) {
    columns_.push_back({{name, type, layout, scale}});
    return builders_.emplace_back(layout);
  }

  std::vector<JobColumn> columns_;
  std::vector<ColumnBuilder> builders_;
  std::vector<columns::ColumnView> views_;
  JobRows rows_{columns_, {}};
};

TEST_F(JobText, TuplesAreLiteralsOfOneLine) {
  std::string text;
  append_tuple(rows_, 0, text);
  EXPECT_EQ(text,
            "(-9223372036854775808,0.1e0,True,-0.001500000,12,'2024-01-02T03:04:05.678900+00:00',"
            "'1970-01-01T00:00:00','2024-01-02','01:02:03',from_base64('AP8='),"
            "E'it''s\\\\\\n\\r',decode(from_base64('AA==')),E'{\"a\":\\n1.0}')");
  text.clear();
  append_tuple(rows_, 1, text);
  EXPECT_EQ(text, "(NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL)");
}

TEST_F(JobText, HeadersQuoteTheirColumns) {
  const std::vector<JobColumn> columns = {columns_[0], columns_[10]};
  std::string text;
  append_insert_header(columns, text);
  EXPECT_EQ(text, "INSERT INTO {}(\"small\",\"say \"\"it\"\"\")\nVALUES\n");
}

TEST_F(JobText, JsonLinesLeaveNullsOut) {
  std::string text;
  append_json_line(rows_, 0, text);
  EXPECT_EQ(text,
            R"({"small":-9223372036854775808,"real":0.1,"yes":true,"amount":"-0.001500000",)"
            R"("wei":"12","at":"2024-01-02T03:04:05.678900+00:00","naive":"1970-01-01T00:00:00",)"
            R"("day":"2024-01-02","time":"01:02:03","raw":"AP8=","say \"it\"":"it's\\\n\r",)"
            R"("zero":"\u0000","doc":{"a": 1.0}})"
            "\n");
  text.clear();
  append_json_line(rows_, 1, text);
  EXPECT_EQ(text, "{}\n");
}

class DltJob : public ::testing::Test {
 protected:
  // What gzip makes of a file.
  static std::string unpacked(const os::Path& file) {
    std::string text;
    std::FILE* pipe = ::popen(("gzip -dc '" + file.native() + "'").c_str(), "r");
    std::array<char, 4096> piece{};
    for (size_t got = 0; (got = std::fread(piece.data(), 1, piece.size(), pipe)) > 0;) {
      text.append(piece.data(), got);
    }
    EXPECT_EQ(::pclose(pipe), 0);
    return text;
  }

  PartSummary rewrite(const std::string& table, size_t rows, JobFormat format) {
    const PartSummary part = testing::write_part(folder_.path(), table, rows);
    return rewrite_part(folder_.path(), part, *schema_.find_table("orders"), format);
  }

  os::TempDirectory folder_;
  schema::Schema schema_ = testing::shop_schema();
};

TEST_F(DltJob, InsertValuesAreNamedByDltsRuleAndTakeThePlaceOfThePart) {
  const PartSummary job = rewrite("orders", 3, JobFormat::kInsertValues);
  EXPECT_EQ(job.file_name, "orders.0123456789.0.insert_values.gz");
  EXPECT_EQ(job.rows, 3U);
  EXPECT_EQ(job.bytes, std::filesystem::file_size(folder_ / job.file_name));
  EXPECT_EQ(unpacked(folder_ / job.file_name), "INSERT INTO {}(\"id\")\nVALUES\n(0),\n(1),\n(2);");
  EXPECT_THAT(os::list_directory(folder_.path()), ::testing::ElementsAre(job.file_name));
}

TEST_F(DltJob, JsonLinesHaveARowALine) {
  const PartSummary job = rewrite("orders", 2, JobFormat::kJsonLines);
  EXPECT_EQ(job.file_name, "orders.0123456789.0.jsonl.gz");
  EXPECT_EQ(unpacked(folder_ / job.file_name), "{\"id\":0}\n{\"id\":1}\n");
}

TEST_F(DltJob, RowsBeyondABufferAreAllThere) {
  constexpr size_t kRows = 100'000;
  const PartSummary job = rewrite("orders", kRows, JobFormat::kJsonLines);
  const std::string text = unpacked(folder_ / job.file_name);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), kRows);
  EXPECT_TRUE(text.ends_with("{\"id\":99999}\n"));
}

TEST_F(DltJob, ATableWhoseNameDoesNotFitIsRefusedByName) {
  const std::string table(250, 't');
  try {
    rewrite(table, 1, JobFormat::kInsertValues);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_THAT(error.message(), ::testing::HasSubstr(table));
  }
}

TEST(JobFormatName, IsReadBack) {
  for (const JobFormat format :
       {JobFormat::kColumns, JobFormat::kInsertValues, JobFormat::kJsonLines}) {
    EXPECT_EQ(parse_job_format(to_string(format)), format);
  }
  EXPECT_EQ(parse_job_format("parquet"), std::nullopt);
}

}  // namespace
}  // namespace tidemark::workdir
