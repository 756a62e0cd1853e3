#include "tidemark/base/ascii.h"

#include <algorithm>

namespace tidemark {

std::string ascii_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = ascii_lower(c);
  return lower;
}

std::string ascii_upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = ascii_upper(c);
  return upper;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return ascii_lower(x) == ascii_lower(y); });
}

}  // namespace tidemark
