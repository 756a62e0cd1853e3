#pragma once

#include <string>
#include <string_view>

namespace tidemark {

// Lower-case hex of SHA-1: for names and keys that another program made with it, never for safety.
std::string sha1_hex(std::string_view bytes);

}  // namespace tidemark
