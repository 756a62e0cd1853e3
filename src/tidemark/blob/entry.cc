#include "tidemark/blob/entry.h"

#include <charconv>

namespace tidemark::blob {

std::optional<uint64_t> parse_size(std::string_view text) {
  uint64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return size;
}

}  // namespace tidemark::blob
