#pragma once

#include <string>
#include <string_view>

namespace tidemark {

// Letters A to Z only, whatever the locale says: names of protocols, settings and databases.
constexpr char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
constexpr char ascii_upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

std::string ascii_lower(std::string_view text);
std::string ascii_upper(std::string_view text);
bool equals_ignoring_case(std::string_view a, std::string_view b);

}  // namespace tidemark
