#include "tidemark/base/zlib.h"

#include <cstring>

#include <gtest/gtest.h>

#include "tidemark/base/base64.h"
#include "tidemark/base/error.h"

namespace tidemark {
namespace {

TEST(Zlib, WhatIsCompressedComesBack) {
  const std::string text(100'000, 'a');
  EXPECT_LT(zlib_compress(text).size(), 200u);
  EXPECT_EQ(zlib_decompress(zlib_compress(text)), text);
  EXPECT_EQ(zlib_decompress(zlib_compress("")), "");
}

TEST(Zlib, ReadsAStreamOfPythons) {
  // base64.b64encode(zlib.compress(b'{"a":1}', level=9))
  EXPECT_EQ(zlib_decompress(*base64_decode("eNqrVkpUsjKsBQAIKgIJ")), R"({"a":1})");
}

TEST(Zlib, ATornStreamIsCorrupt) {
  const std::string whole = zlib_compress("some text that is compressed");
  EXPECT_THROW(zlib_decompress(whole.substr(0, whole.size() - 1)), Error);
  EXPECT_THROW(zlib_decompress("no stream"), Error);
  EXPECT_THROW(zlib_decompress(""), Error);
}

// A member's checksum and length, behind its bytes.
TEST(GzipEncoder, MakesOneMemberOfManyPieces) {
  const std::string piece(100'000, 'x');
  std::string out;
  GzipEncoder encoder;
  for (int i = 0; i < 3; ++i) encoder.write(piece, out);
  encoder.finish(out);
  ASSERT_GT(out.size(), 18U);
  EXPECT_EQ(out.substr(0, 3), "\x1f\x8b\x08");
  const std::string whole = piece + piece + piece;
  uint32_t checksum = 0;
  uint32_t length = 0;
  std::memcpy(&checksum, out.data() + out.size() - 8, sizeof checksum);
  std::memcpy(&length, out.data() + out.size() - 4, sizeof length);
  EXPECT_EQ(checksum, crc32(whole));
  EXPECT_EQ(length, whole.size());
}

}  // namespace
}  // namespace tidemark
