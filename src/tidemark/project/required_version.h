#pragma once

#include <string_view>

namespace tidemark::project {

// The version of Meltano that tidemark does the same as.
inline constexpr std::string_view kMeltanoVersion = "4.4.1";

// Whether Python's version specifiers (PEP 440: `>=3.5,<5`, `~=4.1`, `==4.*`, `!=4.4.0`) all allow
// the version, which is a release like 4.4.1. Error kInvalid for what is none.
bool allows_version(std::string_view specifiers, std::string_view version);

}  // namespace tidemark::project
