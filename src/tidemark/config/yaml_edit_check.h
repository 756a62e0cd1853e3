#pragma once

#include <string>
#include <string_view>

#include "tidemark/config/yaml_edit.h"
#include "tidemark/json/value.h"

namespace tidemark::config {

// The bytes of a text that an edit may change.
struct YamlRange {
  size_t begin = 0;
  size_t end = 0;
};

// Does to a document's value what an edit does to its text. False when the path leads elsewhere in
// the value than in the text, as through a merge, whose keys stand under `<<` in the text alone.
bool set_value(json::Value& document, const YamlPath& path, const json::Value& value);
bool append_value(json::Value& document, const YamlPath& path, const json::Value& value);
bool remove_value(json::Value& document, const YamlPath& path);

// Whether the edited text has all bytes of the other one outside of the range, and says what is
// intended; the order of keys does not count, since those of a merge come last wherever they stand.
bool is_right_edit(std::string_view text, const std::string& edited, const std::string& file,
                   YamlRange range, const json::Value& intended);

}  // namespace tidemark::config
