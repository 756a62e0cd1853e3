#include "tidemark/schema/json_text.h"

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/json/typed.h"
#include "tidemark/json/write.h"
#include "tidemark/schema/unicode.h"

namespace tidemark::schema {
namespace {

constexpr std::string_view kOpeningQuoteAndMarker = "\"\xEF\x80";
constexpr size_t kMarkerSize = 3;

// Behind the closing quote of the string literal that starts at begin.
size_t literal_end(std::string_view json, size_t begin) {
  for (size_t i = begin + 1; i < json.size(); ++i) {
    if (json[i] == '\\') {
      ++i;
    } else if (json[i] == '"') {
      return i + 1;
    }
  }
  return json.size();
}

// Compact JSON in which every string value has lost its marker. Only an opening quote can stand in
// front of one, unless a backslash makes it a part of the string.
std::string without_markers(std::string_view json) {
  std::string result;
  result.reserve(json.size());
  size_t copied = 0;
  for (size_t at = json.find(kOpeningQuoteAndMarker); at != std::string_view::npos;
       at = json.find(kOpeningQuoteAndMarker, at + 1)) {
    if (at > 0 && json[at - 1] == '\\') {
      continue;
    }
    const size_t end = literal_end(json, at);
    const bool is_key = end < json.size() && json[end] == ':';
    if (is_key || !json::typed(json.substr(at + 1, end - at - 2))) {
      continue;
    }
    result += json.substr(copied, at + 1 - copied);
    copied = at + 1 + kMarkerSize;
  }
  result += json.substr(copied);
  return result;
}

// Cheap, for columns whose text is hardly ever JSON: reading it would throw for every row.
bool may_be_json(std::string_view text) {
  return !text.empty() &&
         std::string_view("{[\"-0123456789tfn").find(text[0]) != std::string_view::npos;
}

}  // namespace

std::string to_json_text(json::Node value) {
  std::string text;
  json::append_orjson(text, value, false);
  return text.find(kOpeningQuoteAndMarker) == std::string::npos ? text : without_markers(text);
}

std::optional<std::string> parse_json_text(std::string_view text) {
  if (!may_be_json(strip(text))) {
    return std::nullopt;
  }
  try {
    return json::write_orjson(json::read(text), false);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace tidemark::schema
