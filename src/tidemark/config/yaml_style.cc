#include "tidemark/config/yaml_style.h"

#include <cstddef>
#include <optional>

namespace tidemark::config {
namespace {

struct Found {
  std::optional<size_t> indent;
  std::optional<size_t> dash_indent;
};

size_t column_of(std::string_view text, size_t place) { return place - line_begin(text, place); }

void look(std::string_view text, const YamlSpan& span, Found& found) {
  if (span.shape == YamlSpan::Shape::kBlockMap) {
    const size_t outer = column_of(text, span.content);
    for (const YamlSpan::Entry& entry : span.entries) {
      if (!entry.value.is_block()) continue;
      const size_t inner = column_of(text, entry.value.content);
      std::optional<size_t>& indent = entry.value.is_map() ? found.indent : found.dash_indent;
      if (!indent && inner >= outer) indent = inner - outer;
    }
  }
  for (const YamlSpan::Entry& entry : span.entries) look(text, entry.value, found);
}

}  // namespace

YamlStyle yaml_style_of(std::string_view text, const YamlSpan& root) {
  Found found;
  look(text, root, found);
  YamlStyle style;
  style.indent = found.indent.value_or(style.indent);
  style.dash_indent = found.dash_indent.value_or(style.dash_indent);
  const size_t end = line_end(text, 0);
  if (end > 0 && end < text.size() && text[end - 1] == '\r') style.line_break = "\r\n";
  return style;
}

}  // namespace tidemark::config
