#include "tidemark/source/boundary_hash.h"

#include <utility>

#include <fmt/format.h>

#include "tidemark/base/datetime.h"
#include "tidemark/base/error.h"
#include "tidemark/json/typed.h"
#include "tidemark/json/value.h"
#include "tidemark/json/write.h"

namespace tidemark::source {
namespace {

// The first two bytes of each marker of typed JSON.
constexpr std::string_view kMarkerStart = "\xEF\x80";

json::Value untyped_text(const std::string& text, HashFormat format) {
  auto typed = json::typed(text);
  if (!typed) {
    return text;
  }
  if (typed->first != json::TypedKind::kDatetime) {
    return typed->second;
  }
  if (format == HashFormat::kNew) {
    auto datetime = parse_iso_datetime(typed->second);
    return datetime ? json::Value(datetime->utc_micros()) : json::Value(text);
  }
  constexpr std::string_view kUtc = "+00:00";
  std::string_view iso = typed->second;
  return iso.ends_with(kUtc)
             ? json::Value(std::string(iso.substr(0, iso.size() - kUtc.size())) + "Z")
             : json::Value(iso);
}

json::Value untyped(json::Value value, HashFormat format) {
  if (value.is_string()) {
    return untyped_text(value.as_string(), format);
  }
  if (value.is_array()) {
    for (json::Value& element : value.as_array()) {
      element = untyped(std::move(element), format);
    }
  } else if (value.is_object()) {
    for (auto& member : value.as_object()) {
      member.second = untyped(std::move(member.second), format);
    }
  }
  return value;
}

// Markers are rare in pages: only rows of typed sources have them. The plain writer goes first, and
// what it wrote tells whether there was one.
void append_untyped(std::string& out, json::Node node, HashFormat format) {
  const size_t start = out.size();
  json::append_orjson(out, node, true);
  if (std::string_view(out).substr(start).find(kMarkerStart) == std::string_view::npos) {
    return;
  }
  out.resize(start);
  out += json::write_orjson(untyped(json::to_value(node), format), true);
}

json::Node key_value(json::Node row, const std::string& name) {
  auto value = row.find(name);
  if (!value) {
    std::string text;
    json::append_orjson(text, row, false);
    throw Error(
        ErrorCode::kInvalid,
        fmt::format("the row has no field \"{}\", which is its primary key: {:.200}", name, text));
  }
  return *value;
}

}  // namespace

void append_hashed_form(std::string& out, json::Node row, const std::vector<std::string>& key,
                        HashFormat format) {
  if (key.empty()) {
    append_untyped(out, row, format);
    return;
  }
  if (key.size() == 1) {
    append_untyped(out, key_value(row, key.front()), format);
    return;
  }
  for (const std::string& name : key) {
    out += out.empty() ? '[' : ',';
    append_untyped(out, key_value(row, name), format);
  }
  out += ']';
}

std::string hash_of_form(std::string_view form, HashFormat format, Shake128& shake) {
  return shake.base64_digest(form, format == HashFormat::kNew ? 9 : 15);
}

}  // namespace tidemark::source
