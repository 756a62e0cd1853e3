#include "tidemark/json/utf8.h"

#include <cstring>

namespace tidemark::json {

namespace {

unsigned char byte_at(std::string_view text, size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
}

bool is_continuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

}  // namespace

size_t utf8_sequence_size(std::string_view text) {
  const unsigned char first = byte_at(text, 0);
  const unsigned char second = byte_at(text, 1);
  if (first < 0x80) return text.empty() ? 0 : 1;
  if (first < 0xC2 || first > 0xF4 || !is_continuation(second)) return 0;
  if (first < 0xE0) return 2;
  if (!is_continuation(byte_at(text, 2))) return 0;
  if (first < 0xF0) {
    const bool is_overlong = first == 0xE0 && second < 0xA0;
    const bool is_surrogate = first == 0xED && second > 0x9F;
    return is_overlong || is_surrogate ? 0 : 3;
  }
  const bool is_overlong = first == 0xF0 && second < 0x90;
  const bool is_beyond = first == 0xF4 && second > 0x8F;
  return is_overlong || is_beyond || !is_continuation(byte_at(text, 3)) ? 0 : 4;
}

size_t valid_utf8_size(std::string_view text) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  size_t at = 0;
  while (at < text.size()) {
    uint64_t word;
    if (at + sizeof word <= text.size()) {
      std::memcpy(&word, text.data() + at, sizeof word);
      if ((word & kHighBits) == 0) {
        at += sizeof word;
        continue;
      }
    }
    const size_t size = utf8_sequence_size(text.substr(at));
    if (size == 0) return at;
    at += size;
  }
  return at;
}

uint32_t surrogate_code_point(std::string_view text) {
  const bool is_surrogate = byte_at(text, 0) == 0xED && (byte_at(text, 1) & 0xE0) == 0xA0 &&
                            is_continuation(byte_at(text, 2));
  return is_surrogate ? utf8_code_point(text.substr(0, 3)) : 0;
}

uint32_t utf8_code_point(std::string_view sequence) {
  static constexpr unsigned char kFirstBits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  uint32_t value = byte_at(sequence, 0) & kFirstBits[sequence.size()];
  for (size_t i = 1; i < sequence.size(); ++i) {
    value = value << 6 | (byte_at(sequence, i) & 0x3F);
  }
  return value;
}

void append_utf8(std::string& out, uint32_t code_point) {
  const auto tail = [&](int shift) {
    out.push_back(static_cast<char>(0x80 | (code_point >> shift & 0x3F)));
  };
  if (code_point < 0x80) {
    out.push_back(static_cast<char>(code_point));
  } else if (code_point < 0x800) {
    out.push_back(static_cast<char>(0xC0 | code_point >> 6));
    tail(0);
  } else if (code_point < 0x10000) {
    out.push_back(static_cast<char>(0xE0 | code_point >> 12));
    tail(6);
    tail(0);
  } else {
    out.push_back(static_cast<char>(0xF0 | code_point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace tidemark::json
