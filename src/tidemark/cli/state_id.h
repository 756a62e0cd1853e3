#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tidemark/cli/console.h"

namespace tidemark::cli {

// What a state ID of the form `ENVIRONMENT:TAP-to-TARGET[:SUFFIX]` is made of.
struct StateIdParts {
  std::string environment;
  std::string extractor;
  std::string loader;
  std::optional<std::string> suffix;

  bool operator==(const StateIdParts&) const = default;
};

// Nothing for an ID of another form: any text may be one. By Meltano's rule, which takes as much as
// it can for the environment and as little as it can for the loader.
std::optional<StateIdParts> parse_state_id(std::string_view id);

// Warns when the ID is of another environment than the one that is active, as Meltano does.
void warn_of_environment(const Console& console, std::string_view id,
                         const std::optional<std::string>& active);

}  // namespace tidemark::cli
