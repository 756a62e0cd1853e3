#include "tidemark/cli/state_id.h"

#include <fmt/format.h>

namespace tidemark::cli {
namespace {

constexpr std::string_view kTo = "-to-";

// `TARGET[:SUFFIX]`; the suffix is whatever stands behind the first colon, if anything does.
void split_suffix(std::string_view text, StateIdParts& parts) {
  const size_t colon = text.find(':', 1);
  if (colon == text.npos || colon + 1 == text.size()) {
    parts.loader = text;
    return;
  }
  parts.loader = text.substr(0, colon);
  parts.suffix = text.substr(colon + 1);
}

// `TAP-to-TARGET[:SUFFIX]`, the last `-to-` that has something on both sides.
std::optional<StateIdParts> split_plugins(std::string_view text) {
  for (size_t to = text.rfind(kTo); to != text.npos && to > 0; to = text.rfind(kTo, to - 1)) {
    if (to + kTo.size() < text.size()) {
      StateIdParts parts;
      parts.extractor = text.substr(0, to);
      split_suffix(text.substr(to + kTo.size()), parts);
      return parts;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<StateIdParts> parse_state_id(std::string_view id) {
  // Python's $ stands in front of a last newline too, and its dot for none.
  if (id.ends_with('\n')) {
    id.remove_suffix(1);
  }
  if (id.ends_with(':') || id.find('\n') != id.npos) {
    return std::nullopt;
  }
  for (size_t colon = id.rfind(':'); colon != id.npos && colon > 0;
       colon = id.rfind(':', colon - 1)) {
    if (auto parts = split_plugins(id.substr(colon + 1))) {
      parts->environment = id.substr(0, colon);
      return parts;
    }
  }
  return std::nullopt;
}

void warn_of_environment(const Console& console, std::string_view id,
                         const std::optional<std::string>& active) {
  const std::optional<StateIdParts> parts = parse_state_id(id);
  if (!parts || active == parts->environment) {
    return;
  }
  console.warning(
      active ? fmt::format("the state ID names the environment '{}', the active one is '{}'",
                           parts->environment, *active)
             : fmt::format("the state ID names the environment '{}', and none is active",
                           parts->environment));
}

}  // namespace tidemark::cli
