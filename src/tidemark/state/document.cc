#include "tidemark/state/document.h"

#include <algorithm>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"

namespace tidemark::state {
namespace {

constexpr std::string_view kCompleted = "completed";
constexpr std::string_view kPartial = "partial";

// The members of a half; null has none.
const json::Object& members(const json::Value& half) {
  static const json::Object kNone;
  return half.is_null() ? kNone : half.as_object();
}

void merge_below(json::Object& target, const json::Object& source, const std::string& path) {
  for (const auto& [key, value] : source) {
    if (!value.is_object()) {
      target.set(key, value);
      continue;
    }
    if (!target.contains(key)) target.set(key, json::Object{});
    json::Value& place = *target.find(key);
    const std::string place_path = path.empty() ? key : path + "." + key;
    if (place.is_object()) {
      merge_below(place.as_object(), value.as_object(), place_path);
    } else if (!value.as_object().empty()) {
      throw Error(ErrorCode::kInvalid,
                  fmt::format("cannot merge an object into `{}`, which is there as: {}", place_path,
                              json::kind_name(place)));
    }
  }
}

json::Value take_half(json::Object& document, std::string_view name) {
  json::Value* half = document.find(name);
  if (half == nullptr) return json::Object{};
  if (!half->is_object() && !half->is_null()) {
    throw Error(ErrorCode::kCorrupt, fmt::format("`{}` must be an object or null, found: {}", name,
                                                 json::kind_name(*half)));
  }
  json::Value taken = std::move(*half);
  document.erase(name);
  return taken;
}

json::Value read_lenient(std::string_view bytes) {
  try {
    return json::read_python(bytes);
  } catch (const Error& error) {
    throw Error(ErrorCode::kCorrupt, "no JSON: " + error.message());
  }
}

}  // namespace

void merge_into(json::Object& target, const json::Object& source) {
  merge_below(target, source, {});
}

Document updated(const std::optional<Document>& stored, const Document& change) {
  if (!stored || !members(change.completed).empty()) {
    Document document = change;
    if (stored && document.others.empty()) document.others = stored->others;
    return document;
  }
  Document document = *stored;
  const json::Object& partial = members(change.partial);
  if (partial.empty()) return document;
  if (document.partial.is_null()) document.partial = json::Object{};
  merge_into(document.partial.as_object(), partial);
  return document;
}

json::Value effective_state(const Document& document) {
  json::Object state = members(document.completed);
  merge_into(state, members(document.partial));
  return state;
}

bool is_empty_state(const json::Value& state) {
  if (state.is_object()) {
    return std::ranges::all_of(state.as_object(),
                               [](const auto& member) { return is_empty_state(member.second); });
  }
  if (state.is_array()) return std::ranges::all_of(state.as_array(), is_empty_state);
  return state.is_null();
}

Document read_document(std::string_view bytes) {
  json::Value value = read_lenient(bytes);
  if (!value.is_object()) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("expected an object, found: {}", json::kind_name(value)));
  }
  Document document;
  document.completed = take_half(value.as_object(), kCompleted);
  document.partial = take_half(value.as_object(), kPartial);
  document.others = std::move(value.as_object());
  return document;
}

std::string write_document(const Document& document) {
  json::Object members;
  members.set(kCompleted, document.completed);
  members.set(kPartial, document.partial);
  for (const auto& [key, value] : document.others) members.set(key, value);
  return json::write_python(members);
}

}  // namespace tidemark::state
