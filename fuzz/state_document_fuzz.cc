// Any text as a stored state and, behind the first line break, as what is merged into it: refused
// by an Error, or the document reads back as itself from its own bytes, and after the merge all
// that was merged is there, twice is as good as once, and keys that it did not name are as they
// were.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"
#include "tidemark/state/document.h"

namespace {

using tidemark::Error;
using tidemark::ErrorCode;
namespace json = tidemark::json;
namespace state = tidemark::state;

void check(bool holds) {
  if (!holds) std::abort();
}

std::optional<state::Document> read(std::string_view bytes) {
  try {
    return state::read_document(bytes);
  } catch (const Error& error) {
    check(error.code() == ErrorCode::kCorrupt);
    return std::nullopt;
  }
}

std::optional<json::Object> read_state(std::string_view bytes) {
  try {
    json::Value value = json::read_python(bytes);
    return value.is_object() ? std::optional(value.as_object()) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

void check_round_trip(const state::Document& document) {
  const std::string bytes = state::write_document(document);
  const std::optional<state::Document> again = read(bytes);
  check(again && *again == document);
  check(state::write_document(*again) == bytes);
}

void check_merge(const state::Document& stored, const json::Object& change) {
  const state::Document merged =
      state::updated(stored, {.completed = json::Object{}, .partial = change, .others = {}});
  check_round_trip(merged);
  check(merged.completed == stored.completed && merged.others == stored.others);
  json::Value twice = merged.partial;
  state::merge_into(twice.as_object(), change);
  check(twice == merged.partial);
  if (!stored.partial.is_object()) return;
  for (const auto& [key, value] : stored.partial.as_object()) {
    const json::Value* kept = merged.partial.find(key);
    check(kept != nullptr && (change.find(key) != nullptr || *kept == value));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line = std::min(text.find('\n'), text.size());
  const std::optional<state::Document> stored = read(text.substr(0, line));
  if (!stored) return 0;
  check_round_trip(*stored);
  try {
    const bool is_empty = state::is_empty_state(state::effective_state(*stored));
    check(!is_empty || state::is_empty_state(stored->partial));
    if (const auto change = read_state(text.substr(std::min(line + 1, text.size())))) {
      check_merge(*stored, *change);
    }
  } catch (const Error& error) {
    // A number in the way of an object.
    check(error.code() == ErrorCode::kInvalid);
  }
  return 0;
}
