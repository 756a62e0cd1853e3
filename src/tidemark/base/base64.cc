#include "tidemark/base/base64.h"

#include <array>

namespace tidemark {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t kNoDigit = 64;

constexpr std::array<uint8_t, 256> make_digits() {
  std::array<uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<uint8_t>(kAlphabet[i])] = static_cast<uint8_t>(i);
  }
  return digits;
}

constexpr std::array<uint8_t, 256> kDigits = make_digits();

// Appends the bytes of two to four digits; false when one is no digit or bits are left over.
bool decode_group(std::string_view digits, std::string& out) {
  uint32_t bits = 0;
  for (char c : digits) {
    const uint8_t digit = kDigits[static_cast<uint8_t>(c)];
    if (digit == kNoDigit) return false;
    bits = bits << 6 | digit;
  }
  const size_t bytes = digits.size() * 6 / 8;
  const size_t stray = digits.size() * 6 % 8;
  if ((bits & ((1U << stray) - 1)) != 0) return false;
  bits >>= stray;
  for (size_t i = bytes; i > 0; --i) out.push_back(static_cast<char>(bits >> (8 * (i - 1))));
  return true;
}

}  // namespace

void base64_encode_to(std::span<const uint8_t> bytes, char* out) {
  size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const uint32_t bits = bytes[i] << 16 | bytes[i + 1] << 8 | bytes[i + 2];
    *out++ = kAlphabet[bits >> 18];
    *out++ = kAlphabet[bits >> 12 & 63];
    *out++ = kAlphabet[bits >> 6 & 63];
    *out++ = kAlphabet[bits & 63];
  }
  const size_t rest = bytes.size() - i;
  if (rest == 0) return;
  const uint32_t bits = bytes[i] << 16 | (rest == 2 ? bytes[i + 1] << 8 : 0);
  *out++ = kAlphabet[bits >> 18];
  *out++ = kAlphabet[bits >> 12 & 63];
  if (rest == 2) *out = kAlphabet[bits >> 6 & 63];
}

std::string base64_encode(std::span<const uint8_t> bytes, bool padding) {
  const size_t digits = (bytes.size() * 4 + 2) / 3;
  std::string text(padding ? (bytes.size() + 2) / 3 * 4 : digits, '=');
  base64_encode_to(bytes, text.data());
  return text;
}

std::string base64_encode(std::string_view bytes, bool padding) {
  return base64_encode(std::span(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()),
                       padding);
}

std::optional<std::string> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  if (text.ends_with('=')) text.remove_suffix(text.ends_with("==") ? 2 : 1);
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  for (size_t i = 0; i < text.size(); i += 4) {
    if (!decode_group(text.substr(i, 4), bytes)) return std::nullopt;
  }
  return bytes;
}

}  // namespace tidemark
