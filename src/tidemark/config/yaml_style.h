#pragma once

#include <string_view>

#include "tidemark/config/yaml_spans.h"
#include "tidemark/config/yaml_text.h"

namespace tidemark::config {

// The style in which most of a text is written: the first map in a map and the first list in a map
// of block style say how far they are indented, the first line how it ends.
YamlStyle yaml_style_of(std::string_view text, const YamlSpan& root);

}  // namespace tidemark::config
