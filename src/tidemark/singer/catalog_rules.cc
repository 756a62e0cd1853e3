#include "tidemark/singer/catalog_rules.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/base/glob.h"

namespace tidemark::singer {
namespace {

struct SelectPattern {
  std::string stream;
  std::vector<std::string> property;  // the names on the way to it
  bool is_exclusion = false;
};

std::vector<std::string> split_at_dots(std::string_view text) {
  std::vector<std::string> parts;
  for (size_t dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.')) {
    parts.emplace_back(text.substr(0, dot));
    text.remove_prefix(dot + 1);
  }
  parts.emplace_back(text);
  return parts;
}

size_t find_separator(std::string_view pattern) {
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '.' && (i == 0 || pattern[i - 1] != '\\')) return i;
  }
  return pattern.size();
}

std::string without_escapes(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!text.substr(i).starts_with("\\.")) plain += text[i];
  }
  return plain;
}

SelectPattern parse_select_pattern(std::string_view text) {
  SelectPattern pattern;
  pattern.is_exclusion = text.starts_with('!');
  if (pattern.is_exclusion) text.remove_prefix(1);
  const size_t separator = find_separator(text);
  pattern.stream = without_escapes(text.substr(0, separator));
  const std::string_view property = text.substr(std::min(separator + 1, text.size()));
  pattern.property = split_at_dots(property.empty() ? "*" : property);
  return pattern;
}

// The breadcrumb of the first `count` names.
std::string breadcrumb_of(const std::vector<std::string>& names, size_t count) {
  std::string joined;
  for (size_t i = 0; i < count; ++i) {
    joined += fmt::format("{}properties.{}", joined.empty() ? "" : ".", names[i]);
  }
  return joined;
}

MetadataRule selection_rule(const SelectPattern& pattern, size_t depth) {
  return {.streams = {pattern.stream},
          .breadcrumb = breadcrumb_of(pattern.property, depth),
          .key = "selected",
          .value = !pattern.is_exclusion};
}

// A property that is selected needs its stream and what it lies in; one that is excluded leaves
// them alone, unless it is all there is.
void add_pattern_rules(const SelectPattern& pattern, std::vector<MetadataRule>& rules) {
  const size_t depth = pattern.property.size();
  const bool is_whole_stream = depth == 1 && pattern.property[0] == "*";
  if (!pattern.is_exclusion || is_whole_stream) rules.push_back(selection_rule(pattern, 0));
  rules.push_back(selection_rule(pattern, depth));
  for (size_t parent = 1; !pattern.is_exclusion && parent < depth; ++parent) {
    rules.push_back(selection_rule(pattern, parent));
  }
}

void add_select_rules(const std::vector<std::string>& patterns, std::vector<MetadataRule>& rules) {
  std::vector<MetadataRule> exclusions;
  for (const std::string& text : patterns) {
    const SelectPattern pattern = parse_select_pattern(text);
    add_pattern_rules(pattern, pattern.is_exclusion ? exclusions : rules);
  }
  std::ranges::move(exclusions, std::back_inserter(rules));
}

MetadataRule metadata_rule(const std::string& path, const json::Value& value) {
  std::vector<std::string> parts = split_at_dots(path);
  if (parts.size() < 2) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("metadata: '{}': expected a stream and a map of keys, or "
                            "`stream.key`",
                            path));
  }
  MetadataRule rule{
      .streams = {parts.front()}, .breadcrumb = {}, .key = std::move(parts.back()), .value = value};
  parts.pop_back();
  parts.erase(parts.begin());
  rule.breadcrumb = breadcrumb_of(parts, parts.size());
  return rule;
}

void add_metadata_rules(const json::Object& metadata, const std::string& prefix,
                        std::vector<MetadataRule>& rules) {
  for (const auto& [key, value] : metadata) {
    const std::string path = prefix + key;
    if (value.is_object()) {
      add_metadata_rules(value.as_object(), path + ".", rules);
    } else {
      rules.push_back(metadata_rule(path, value));
    }
  }
}

}  // namespace

bool MetadataRule::matches_stream(std::string_view stream) const {
  const bool is_match = std::ranges::any_of(
      streams, [&](const std::string& pattern) { return glob_match(pattern, stream); });
  return is_match != is_negated;
}

bool MetadataRule::matches_breadcrumb(std::string_view joined) const {
  return glob_match(breadcrumb, joined);
}

std::vector<MetadataRule> metadata_rules(const CatalogRules& rules) {
  std::vector<MetadataRule> result;
  add_select_rules({"!*.*"}, result);
  std::vector<MetadataRule> selection;
  add_select_rules(rules.select, selection);
  std::ranges::move(selection, std::back_inserter(result));
  add_metadata_rules(rules.metadata, "", result);
  std::ranges::move(filter_rules(rules.select_filter), std::back_inserter(result));
  return result;
}

std::vector<MetadataRule> filter_rules(const std::vector<std::string>& select_filter) {
  const MetadataRule unselect{
      .streams = {}, .is_negated = false, .breadcrumb = {}, .key = "selected", .value = false};
  MetadataRule all_but_included = unselect;
  all_but_included.is_negated = true;
  MetadataRule excluded = unselect;
  for (const std::string& text : select_filter) {
    SelectPattern pattern = parse_select_pattern(text);
    MetadataRule& rule = pattern.is_exclusion ? excluded : all_but_included;
    rule.streams.push_back(std::move(pattern.stream));
  }
  std::vector<MetadataRule> rules;
  if (!all_but_included.streams.empty()) rules.push_back(std::move(all_but_included));
  if (!excluded.streams.empty()) rules.push_back(std::move(excluded));
  return rules;
}

std::vector<SchemaRule> schema_rules(const CatalogRules& rules) {
  std::vector<SchemaRule> result;
  for (const auto& [stream, properties] : rules.schema) {
    if (!properties.is_object()) {
      throw Error(ErrorCode::kInvalid,
                  fmt::format("schema: '{}': expected a map of properties", stream));
    }
    for (const auto& [property, schema] : properties.as_object()) {
      if (!schema.is_object()) {
        throw Error(ErrorCode::kInvalid,
                    fmt::format("schema: '{}.{}': expected a JSON schema", stream, property));
      }
      result.push_back({stream, property, schema.as_object()});
    }
  }
  return result;
}

}  // namespace tidemark::singer
