#include "tidemark/base/uuid.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "tidemark/base/ascii.h"
#include "tidemark/base/hash.h"

namespace tidemark {

std::string make_uuid7(Time time, Random& random) {
  std::array<uint8_t, 16> bytes{};
  random.fill(std::span(bytes).subspan(6));
  auto milliseconds = static_cast<uint64_t>(
      std::chrono::floor<std::chrono::milliseconds>(time).time_since_epoch().count());
  for (int i = 5; i >= 0; --i, milliseconds >>= 8) {
    bytes[i] = static_cast<uint8_t>(milliseconds);
  }
  bytes[6] = static_cast<uint8_t>((bytes[6] & 0x0F) | 0x70);
  bytes[8] = static_cast<uint8_t>((bytes[8] & 0x3F) | 0x80);
  std::string text = to_hex(bytes);
  for (const size_t dash : {8, 13, 18, 23}) text.insert(dash, 1, '-');
  return text;
}

std::optional<std::string> read_uuid(std::string_view text) {
  constexpr std::array<size_t, 4> kDashes{8, 13, 18, 23};
  std::string uuid = ascii_lower(text);
  const bool has_dashes = uuid.size() == 36;
  if (!has_dashes && uuid.size() != 32) return std::nullopt;
  for (const size_t dash : kDashes) {
    if (!has_dashes) uuid.insert(dash, 1, '-');
  }
  for (size_t i = 0; i < uuid.size(); ++i) {
    const bool is_dash = std::ranges::find(kDashes, i) != kDashes.end();
    const bool is_hex = (uuid[i] >= '0' && uuid[i] <= '9') || (uuid[i] >= 'a' && uuid[i] <= 'f');
    if (is_dash ? uuid[i] != '-' : !is_hex) return std::nullopt;
  }
  return uuid;
}

}  // namespace tidemark
