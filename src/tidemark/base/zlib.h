#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tidemark {

// A zlib stream (RFC 1950) at the highest level.
std::string zlib_compress(std::string_view bytes);

// Error kCorrupt when bytes are no whole zlib stream, or one of more than a gibibyte: a bomb.
std::string zlib_decompress(std::string_view bytes);

// Makes one gzip member (RFC 1952) of bytes that come piece by piece.
class GzipEncoder {
 public:
  GzipEncoder();
  ~GzipEncoder();
  GzipEncoder(const GzipEncoder&) = delete;
  GzipEncoder& operator=(const GzipEncoder&) = delete;

  // Appends to out what of the member is ready; zlib keeps some for later.
  void write(std::string_view bytes, std::string& out);
  // The rest of it; nothing is written any more.
  void finish(std::string& out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// CRC-32 as zlib and PNG have it.
uint32_t crc32(std::string_view bytes);

}  // namespace tidemark
