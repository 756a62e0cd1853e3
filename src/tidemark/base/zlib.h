#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark {

// A zlib stream (RFC 1950) at the highest level.
std::string zlib_compress(std::string_view bytes);

// Error kCorrupt when bytes are no whole zlib stream, or one of more than a gibibyte: a bomb.
std::string zlib_decompress(std::string_view bytes);

// CRC-32 as zlib and PNG have it.
uint32_t crc32(std::string_view bytes);

}  // namespace tidemark
