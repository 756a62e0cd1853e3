#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tidemark/json/value.h"

namespace tidemark::config {

// How a text in YAML's block style looks.
struct YamlStyle {
  size_t indent = 2;              // of the keys of a map below the key it belongs to
  size_t dash_indent = 0;         // of the dashes of a list below the key it belongs to
  std::string line_break = "\n";  // also `\r\n`
};

// The value in YAML's block style, lines indented by `column` blanks, keys in their order. Text
// that a YAML 1.1 or 1.2 reader could take for something else is quoted.
std::string yaml_text(const json::Value& value, const YamlStyle& style = {}, size_t column = 0);

// The value on one line: {a: 1, b: ['x']}.
std::string yaml_flow_text(const json::Value& value);

// Text as a scalar of one line. With a quote, `'` or `"`, it is quoted in any case, by that where
// the text allows.
std::string yaml_scalar_text(std::string_view text, char quote = '\0');

}  // namespace tidemark::config
