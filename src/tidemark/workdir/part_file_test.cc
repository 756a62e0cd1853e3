#include "tidemark/workdir/part_file.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tidemark/base/error.h"
#include "tidemark/columns/builder.h"
#include "tidemark/os/temp_directory.h"

namespace tidemark::workdir {
namespace {

using columns::ColumnInfo;
using columns::Layout;

class PartFile : public ::testing::Test {
 protected:
  PartFile() { file_ = folder_ / "orders.0123456789.0.columns"; }

  // Rows first..first+count-1 of one bigint column.
  static void append_numbers(PartWriter& writer, const std::string& column, int64_t first,
                             size_t count) {
    columns::ColumnBuilder builder(Layout::kInt64);
    for (size_t i = 0; i < count; ++i) builder.append_int64(first + static_cast<int64_t>(i));
    columns::Chunk chunk;
    chunk.rows = count;
    chunk.infos = {{column, "bigint", Layout::kInt64, 0}};
    chunk.views = {builder.view()};
    std::string encoded;
    columns::encode_chunk(chunk, encoded);
    writer.append(encoded, count, chunk.infos);
  }

  std::string content() const {
    std::ifstream in(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void set_content(const std::string& bytes) const {
    std::ofstream(file_, std::ios::binary | std::ios::trunc) << bytes;
  }
  ErrorCode code_of_opening() const {
    try {
      PartReader reader(file_);
    } catch (const Error& error) {
      EXPECT_THAT(error.message(), ::testing::HasSubstr(file_.string()));
      return error.code();
    }
    ADD_FAILURE() << "was opened";
    return ErrorCode::kInternal;
  }

  os::TempDirectory folder_;
  std::filesystem::path file_;
};

TEST_F(PartFile, GivesBackTheChunksThatWereWritten) {
  PartWriter writer(file_, "orders");
  append_numbers(writer, "id", 0, 3);
  append_numbers(writer, "amount", 3, 1000);
  PartSummary summary = writer.finish();

  PartReader reader(file_);
  ASSERT_EQ(reader.chunk_count(), 2u);
  EXPECT_EQ(reader.rows(), 1003u);
  PartReader::ChunkBuffer buffer;
  columns::Chunk second = reader.read(1, buffer);
  ASSERT_EQ(second.rows, 1000u);
  EXPECT_EQ(second.first_row, 3u);
  EXPECT_EQ(reinterpret_cast<const int64_t*>(second.views.at(0).values)[999], 1002);
  EXPECT_EQ(reader.read(0, buffer).rows, 3u);
  EXPECT_EQ(summary.rows, 1003u);
}

TEST_F(PartFile, SummaryNamesFileTableAndSize) {
  PartWriter writer(file_, "orders");
  append_numbers(writer, "id", 0, 3);
  PartSummary summary = writer.finish();
  EXPECT_EQ(summary.file_name, "orders.0123456789.0.columns");
  EXPECT_EQ(summary.table, "orders");
  EXPECT_EQ(summary.bytes, std::filesystem::file_size(file_));
  EXPECT_EQ(summary.checksum.size(), 8u);
}

TEST_F(PartFile, ListsColumnsInOrderOfFirstAppearance) {
  PartWriter writer(file_, "orders");
  append_numbers(writer, "id", 0, 1);
  append_numbers(writer, "amount", 1, 1);
  append_numbers(writer, "id", 2, 1);
  writer.finish();
  PartReader reader(file_);
  EXPECT_THAT(reader.columns(),
              ::testing::ElementsAre(ColumnInfo{"id", "bigint", Layout::kInt64, 0},
                                     ColumnInfo{"amount", "bigint", Layout::kInt64, 0}));
}

TEST_F(PartFile, WithoutRowsIsReadable) {
  PartWriter(file_, "orders").finish();
  PartReader reader(file_);
  EXPECT_EQ(reader.chunk_count(), 0u);
  EXPECT_EQ(reader.rows(), 0u);
}

TEST_F(PartFile, ChecksumDependsOnTheContent) {
  PartWriter one(file_, "orders");
  append_numbers(one, "id", 0, 3);
  PartWriter other(folder_ / "other", "orders");
  append_numbers(other, "id", 7, 3);
  EXPECT_NE(one.finish().checksum, other.finish().checksum);
}

TEST_F(PartFile, RefusesAFileThatWasNotFinished) {
  {
    PartWriter writer(file_, "orders");
    append_numbers(writer, "id", 0, 3);
  }
  EXPECT_EQ(code_of_opening(), ErrorCode::kCorrupt);
}

TEST_F(PartFile, RefusesAFileCutAnywhere) {
  PartWriter writer(file_, "orders");
  append_numbers(writer, "id", 0, 3);
  writer.finish();
  const std::string whole = content();
  for (size_t size = 0; size < whole.size(); ++size) {
    set_content(whole.substr(0, size));
    EXPECT_EQ(code_of_opening(), ErrorCode::kCorrupt) << "cut to " << size;
  }
}

TEST_F(PartFile, NoticesAChangedByte) {
  PartWriter writer(file_, "orders");
  append_numbers(writer, "id", 0, 3);
  writer.finish();
  const std::string whole = content();
  for (size_t at = 8; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x20);
    set_content(changed);
    PartReader::ChunkBuffer buffer;
    EXPECT_THROW(PartReader(file_).read(0, buffer), Error) << "byte " << at;
  }
}

TEST_F(PartFile, DoesNotOverwriteAFile) {
  PartWriter writer(file_, "orders");
  EXPECT_THROW(PartWriter(file_, "orders"), Error);
}

TEST_F(PartFile, FullDiskIsAnUnavailableErrorThatNamesTheFile) {
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  PartWriter writer(file_, "orders");
  rlimit tight{4096, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &tight);
  try {
    append_numbers(writer, "id", 0, 10'000);
    ADD_FAILURE() << "was written";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
    EXPECT_THAT(error.message(), ::testing::HasSubstr(file_.string()));
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
}

}  // namespace
}  // namespace tidemark::workdir
