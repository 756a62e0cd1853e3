#include "tidemark/json/typed.h"

namespace tidemark::json {

namespace {
constexpr std::string_view kLead = "\xEF\x80";
constexpr size_t kMarkerSize = 3;
}  // namespace

std::optional<std::pair<TypedKind, std::string_view>> typed(std::string_view text) {
  if (text.size() <= kMarkerSize || !text.starts_with(kLead)) return std::nullopt;
  const auto last = static_cast<uint8_t>(text[kLead.size()]);
  if (last < static_cast<uint8_t>(TypedKind::kDecimal)) return std::nullopt;
  if (last > static_cast<uint8_t>(TypedKind::kTime)) return std::nullopt;
  return std::pair(static_cast<TypedKind>(last), text.substr(kMarkerSize));
}

std::string make_typed(TypedKind kind, std::string_view text) {
  std::string out(kLead);
  out.push_back(static_cast<char>(kind));
  return out.append(text);
}

Value without_markers(const Value& value) {
  if (value.is_string()) {
    const auto marked = typed(value.as_string());
    return marked ? Value(marked->second) : value;
  }
  if (value.is_array()) {
    Array plain;
    for (const Value& item : value.as_array()) plain.push_back(without_markers(item));
    return plain;
  }
  if (value.is_object()) {
    Object plain;
    for (const auto& [key, member] : value.as_object()) plain.set(key, without_markers(member));
    return plain;
  }
  return value;
}

}  // namespace tidemark::json
