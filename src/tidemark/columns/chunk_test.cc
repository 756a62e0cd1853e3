#include "tidemark/columns/chunk.h"

#include <cstring>

#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/columns/builder.h"

namespace tidemark::columns {
namespace {

// Chunks are decoded from 8-byte aligned memory.
class AlignedBytes {
 public:
  explicit AlignedBytes(const std::string& bytes)
      : words_(bytes.size() / 8 + 1), size_(bytes.size()) {
    std::memcpy(words_.data(), bytes.data(), bytes.size());
  }
  std::string_view view() const { return {reinterpret_cast<const char*>(words_.data()), size_}; }
  char* data() { return reinterpret_cast<char*>(words_.data()); }

 private:
  std::vector<uint64_t> words_;
  size_t size_;
};

std::string encoded_sample(size_t rows) {
  ColumnBuilder ids(Layout::kInt64);
  ColumnBuilder names(Layout::kBytes);
  ColumnBuilder flags(Layout::kBool);
  ColumnBuilder amounts(Layout::kInt128);
  for (size_t i = 0; i < rows; ++i) {
    ids.append_int64(static_cast<int64_t>(i) - 5);
    names.append_bytes("name " + std::to_string(i));
    flags.append_bool(i % 2 == 0);
    if (i % 3 == 0) {
      amounts.append_null();
    } else {
      amounts.append_int128(static_cast<Int128>(i) * 1000000007);
    }
  }
  Chunk chunk;
  chunk.rows = rows;
  chunk.infos = {{"id", "bigint", Layout::kInt64, 0},
                 {"näme", "text", Layout::kBytes, 0},
                 {"flag", "bool", Layout::kBool, 0},
                 {"amount", "decimal", Layout::kInt128, 9}};
  chunk.views = {ids.view(), names.view(), flags.view(), amounts.view()};
  std::string bytes;
  encode_chunk(chunk, bytes);
  return bytes;
}

TEST(Chunk, ReadsBackWhatWasWritten) {
  for (size_t rows : {0, 1, 8, 2047, 2049}) {
    const AlignedBytes bytes(encoded_sample(rows));
    const Chunk chunk = decode_chunk(bytes.view());
    ASSERT_EQ(chunk.rows, rows);
    ASSERT_EQ(chunk.infos.size(), 4U);
    EXPECT_EQ(chunk.infos[3], (ColumnInfo{"amount", "decimal", Layout::kInt128, 9}));
    for (size_t i = 0; i < rows; ++i) {
      EXPECT_EQ(chunk.views[1].text(i), "name " + std::to_string(i));
      EXPECT_EQ(chunk.views[2].boolean(i), i % 2 == 0);
      EXPECT_EQ(chunk.views[3].is_valid(i), i % 3 != 0);
    }
  }
}

TEST(Chunk, AppendsToWhatIsThere) {
  std::string out = "12345678";
  const std::string one = encoded_sample(3);
  out += one;
  EXPECT_EQ(one.size() % 8, 0U);
  const AlignedBytes bytes(out.substr(8));
  EXPECT_EQ(decode_chunk(bytes.view()).rows, 3U);
}

TEST(Chunk, RefusesEveryFlippedByte) {
  const std::string good = encoded_sample(5);
  for (size_t i = 0; i < good.size(); ++i) {
    AlignedBytes bytes(good);
    bytes.data()[i] = static_cast<char>(bytes.data()[i] ^ 0x40);
    EXPECT_THROW(decode_chunk(bytes.view()), Error) << "byte " << i;
  }
}

TEST(Chunk, RefusesEveryShortenedChunk) {
  const std::string good = encoded_sample(5);
  for (size_t size = 0; size < good.size(); ++size) {
    const AlignedBytes bytes(good.substr(0, size));
    EXPECT_THROW(decode_chunk(bytes.view()), Error) << size;
  }
}

}  // namespace
}  // namespace tidemark::columns
