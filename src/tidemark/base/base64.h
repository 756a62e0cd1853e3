#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tidemark {

// Standard alphabet (RFC 4648 section 4), with or without padding.
std::string base64_encode(std::span<const uint8_t> bytes, bool padding = true);
std::string base64_encode(std::string_view bytes, bool padding = true);

// Writes the text of bytes without padding to out, which has room for it (10 bytes make 14
// characters).
void base64_encode_to(std::span<const uint8_t> bytes, char* out);

// Strict: no blanks, right padding, no stray bits. Nothing when the text is not base64.
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace tidemark
