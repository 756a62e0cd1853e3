#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidemark/json/value.h"

namespace tidemark::singer {

// What an extractor's extras say about its catalog.
struct CatalogRules {
  // `stream.property`, `!stream.property`: globs; `\.` is a dot in the name of a stream. A pattern
  // without a property is about all of them. What is excluded stays so whatever includes it.
  std::vector<std::string> select = {"*.*"};
  // `stream.key` or `stream.property.key` and a value, dots and maps being the same.
  json::Object metadata = {};
  // `stream`, then `property`, then the JSON schema it gets instead of its own.
  json::Object schema = {};
  // Patterns whose streams alone are selected, or with `!` are not; properties play no part.
  std::vector<std::string> select_filter = {};
};

// Sets one key of the metadata entries that it matches.
struct MetadataRule {
  std::vector<std::string> streams;  // globs, of which one must match
  bool is_negated = false;           // of which none must match
  std::string breadcrumb;  // a glob for all parts with dots between; empty for the stream's own
  std::string key;
  json::Value value;

  bool matches_stream(std::string_view stream) const;
  bool matches_breadcrumb(std::string_view joined) const;
};

// Puts schema in the place of what a property has.
struct SchemaRule {
  std::string stream;    // a glob
  std::string property;  // a glob
  json::Object schema;
};

// In the order in which they apply. Error kInvalid for metadata or a schema that is no map where
// one is needed.
std::vector<MetadataRule> metadata_rules(const CatalogRules& rules);
std::vector<MetadataRule> filter_rules(const std::vector<std::string>& select_filter);
std::vector<SchemaRule> schema_rules(const CatalogRules& rules);

}  // namespace tidemark::singer
