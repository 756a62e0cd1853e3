#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark::blob {

// An object as a service lists it.
struct Entry {
  std::string name;
  std::optional<uint64_t> size = {};
};

// A size as services write it; nothing when the text is something else.
std::optional<uint64_t> parse_size(std::string_view text);

}  // namespace tidemark::blob
