#include "tidemark/source/cursor_window.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/json/typed.h"
#include "tidemark/source/cursor_value.h"

namespace tidemark::source {
namespace {

std::optional<json::Value> read_number(const std::string& text) {
  try {
    json::Value value = json::read(text);
    return value.is_number() ? std::optional(std::move(value)) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

// The text as a value of the type of like.
json::Value value_of(const std::string& text, const json::Value& like) {
  if (like.is_string()) {
    const auto typed = json::typed(like.as_string());
    return typed ? json::make_typed(typed->first, text) : text;
  }
  auto number = read_number(text);
  if (number) return *std::move(number);
  if (like.is_null()) return text;
  throw Error(ErrorCode::kInvalid,
              fmt::format("'{}' is no number, and the cursor's values are numbers", text));
}

}  // namespace

IncrementalOptions in_window(IncrementalOptions options, const CursorWindow& window,
                             const json::Value& stored_last_value) {
  const json::Value like =
      options.initial_value.is_null() ? stored_last_value : options.initial_value;
  options.initial_value = value_of(window.from, like);
  options.end_value = value_of(window.to, like);
  // Of two texts without a like, one may be a number.
  if (compare(cursor_view(options.initial_value), cursor_view(options.end_value)) ==
      std::partial_ordering::unordered) {
    throw Error(ErrorCode::kInvalid, fmt::format("'{}' and '{}' cannot both be values of a cursor",
                                                 window.from, window.to));
  }
  options.range_start = RangeEdge::kClosed;
  options.range_end = RangeEdge::kOpen;
  return options;
}

}  // namespace tidemark::source
