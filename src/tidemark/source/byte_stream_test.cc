#include "tidemark/source/byte_stream.h"

#include <string>

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include "tidemark/base/error.h"
#include "tidemark/source/string_stream.h"

namespace tidemark::source {
namespace {

std::string gzip(const std::string& text) {
  z_stream deflate_stream{};
  deflateInit2(&deflate_stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&deflate_stream, text.size()), '\0');
  deflate_stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  deflate_stream.avail_in = static_cast<uInt>(text.size());
  deflate_stream.next_out = reinterpret_cast<Bytef*>(out.data());
  deflate_stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&deflate_stream, Z_FINISH), Z_STREAM_END);
  out.resize(deflate_stream.total_out);
  deflateEnd(&deflate_stream);
  return out;
}

std::string zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

std::string read_all(const std::string& bytes, size_t input_piece, size_t output_piece) {
  const auto stream = decompressed(std::make_unique<StringStream>(bytes, input_piece), "file");
  std::string text;
  std::string part(output_piece, '\0');
  while (const size_t size = stream->read(part.data(), part.size())) text.append(part, 0, size);
  EXPECT_EQ(stream->read(part.data(), part.size()), 0u);
  return text;
}

std::string fault(const std::string& bytes) {
  try {
    read_all(bytes, 100, 100);
    return "no fault";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    return error.message();
  }
}

std::string long_text() {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "line " + std::to_string(i * 7919) + "\n";
  return text + std::string(100'000, 'x');
}

TEST(Decompressed, LeavesPlainTextAlone) {
  for (const char* text : {"", "a", "abc", "{\"a\":1}\n"}) {
    EXPECT_EQ(read_all(text, 1, 3), text);
  }
}

TEST(Decompressed, ReadsEveryMemberWhateverThePieces) {
  const std::string text = long_text();
  for (const auto& bytes :
       {gzip(text) + gzip("") + gzip("end"), zstd(text) + zstd("") + zstd("end")}) {
    for (const size_t input_piece : {7, 1000, 1'000'000}) {
      for (const size_t output_piece : {13, 4096, 1'000'000}) {
        EXPECT_EQ(read_all(bytes, input_piece, output_piece), text + "end");
      }
    }
  }
}

TEST(Decompressed, SaysThatDataIsCutOff) {
  for (const auto& [bytes, kind] :
       {std::pair(gzip(long_text()), "gzip"), {zstd(long_text()), "zstd"}}) {
    for (const size_t size : {size_t{5}, bytes.size() / 2, bytes.size() - 1}) {
      EXPECT_EQ(fault(bytes.substr(0, size)),
                "file: the " + std::string(kind) + " data ends too early");
    }
  }
}

TEST(Decompressed, SaysThatDataIsDamaged) {
  for (auto bytes : {gzip(long_text()), zstd(long_text())}) {
    bytes[bytes.size() / 2] ^= 0x55;
    bytes[bytes.size() / 2 + 1] ^= 0x55;
    EXPECT_TRUE(fault(bytes).starts_with("file: damaged")) << fault(bytes);
  }
}

TEST(OpenFile, NamesTheMissingFile) {
  try {
    open_file("/nonexistent/file.csv");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
    EXPECT_NE(error.message().find("/nonexistent/file.csv"), std::string::npos);
  }
}

}  // namespace
}  // namespace tidemark::source
