#include "tidemark/schema/simple_regex.h"

#include <fmt/core.h>
#include <re2/re2.h>

#include "tidemark/base/error.h"

namespace tidemark::schema {
namespace {

constexpr std::string_view kPrefix = "re:";

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

bool matches_simple_regex(std::string_view pattern, std::string_view name) {
  if (!pattern.starts_with(kPrefix)) {
    return pattern == name;
  }
  const RE2 regex(piece(pattern.substr(kPrefix.size())), RE2::Quiet);
  return regex.ok() && RE2::PartialMatch(piece(name), regex);
}

void check_simple_regex(std::string_view pattern, std::string_view where) {
  if (!pattern.starts_with(kPrefix)) {
    return;
  }
  const RE2 regex(piece(pattern.substr(kPrefix.size())), RE2::Quiet);
  if (!regex.ok()) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("{}: cannot use the pattern `{}`: {}", where, pattern, regex.error()));
  }
}

}  // namespace tidemark::schema
