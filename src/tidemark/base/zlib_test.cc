#include "tidemark/base/zlib.h"

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

}  // namespace
}  // namespace tidemark
