#include "tidemark/cli/selection_text.h"

#include <utility>

#include <fmt/format.h>

namespace tidemark::cli {
namespace {

using singer::PropertySelection;
using singer::Selection;

bool is_shown(const PropertySelection& property, bool all) {
  return all || property.selection == Selection::kSelected ||
         property.selection == Selection::kAutomatic;
}

}  // namespace

std::string selection_text(const std::vector<std::string>& patterns,
                           const std::vector<PropertySelection>& selections, bool all) {
  std::string text = "Legend:\n\tselected\n\texcluded\n\tautomatic\n\tunsupported\n";
  text += "\nEnabled patterns:\n";
  for (const std::string& pattern : patterns) text += fmt::format("\t{}\n", pattern);
  text += "\nSelected properties:\n";
  for (const PropertySelection& property : selections) {
    if (!is_shown(property, all)) continue;
    text += fmt::format("\t[{:<11}] {}.{}\n", to_string(property.selection), property.stream,
                        property.property);
  }
  return text;
}

json::Value selection_json(const std::vector<std::string>& patterns,
                           const std::vector<PropertySelection>& selections, bool all) {
  json::Array enabled(patterns.begin(), patterns.end());
  json::Array streams;
  for (const PropertySelection& property : selections) {
    if (!is_shown(property, all)) continue;
    streams.emplace_back(json::Object{{"stream", property.stream},
                                      {"property", property.property},
                                      {"selection", to_string(property.selection)}});
  }
  return json::Object{{"enabled_patterns", std::move(enabled)}, {"streams", std::move(streams)}};
}

}  // namespace tidemark::cli
