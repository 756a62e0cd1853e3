#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tidemark::config {

// The known word that a typo most likely meant: the one fewest single-character edits away (a swap
// of neighbours is one edit, case costs nothing), the first of several. Nothing when even that one
// is too far off to be a typo.
std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> known);

// "; did you mean 'base_url'?", or "; known: a, b" when no word is near. For the end of an error.
std::string suggestion(std::string_view word, std::span<const std::string_view> known);

}  // namespace tidemark::config
