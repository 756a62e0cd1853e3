#include "tidemark/config/nearest.h"

#include <algorithm>
#include <vector>

#include <fmt/ranges.h>

#include "tidemark/base/ascii.h"

namespace tidemark::config {
namespace {

// Optimal string alignment distance, in three rows of the usual table.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before_last(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool is_same = ascii_lower(a[i - 1]) == ascii_lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (is_same ? 0 : 1)});
      const bool is_swap = i > 1 && j > 1 && ascii_lower(a[i - 1]) == ascii_lower(b[j - 2]) &&
                           ascii_lower(a[i - 2]) == ascii_lower(b[j - 1]);
      if (is_swap) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> known) {
  std::optional<std::string_view> best;
  size_t best_distance = std::max<size_t>(1, word.size() / 3) + 1;
  for (std::string_view candidate : known) {
    const size_t distance = edit_distance(word, candidate);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string_view> known) {
  if (const auto match = nearest(word, known)) return fmt::format("; did you mean '{}'?", *match);
  if (known.empty()) return "";
  return fmt::format("; known: {}", fmt::join(known, ", "));
}

}  // namespace tidemark::config
