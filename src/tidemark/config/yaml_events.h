#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::config {

// A step of a YAML parser. Places are those of the first byte of a node, its anchor and tag
// included; a null that nobody wrote has the place of whatever comes next.
struct YamlEvent {
  enum class Kind { kNull, kAlias, kScalar, kListStart, kListEnd, kMapStart, kMapEnd };

  Kind kind = Kind::kNull;
  size_t offset = 0;  // in bytes of the text
  int line = 0;       // from 1, like the column
  int column = 0;
  std::string tag = {};  // `?` for a plain scalar, `!` for a quoted one
  size_t anchor = 0;     // 0 for none; of an alias the one it stands for
  std::string text = {};
};

// The events of a text with one document, or none. Error kInvalid with file, line and column for
// bad syntax, without them for a second document. file is the name errors use.
std::vector<YamlEvent> read_yaml_events(std::string_view text, const std::string& file);

}  // namespace tidemark::config
