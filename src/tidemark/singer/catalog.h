#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemark/json/value.h"
#include "tidemark/singer/catalog_rules.h"

namespace tidemark::singer {

// Whether a tap extracts a property.
enum class Selection {
  kSelected,
  kExcluded,
  kAutomatic,    // always, when its stream is selected
  kUnsupported,  // never
};

// `selected`, `excluded`, `automatic`, `unsupported`.
std::string_view to_string(Selection selection);

struct PropertySelection {
  std::string stream;
  std::string property;  // `address.city` for one inside of another
  Selection selection = Selection::kExcluded;

  bool operator==(const PropertySelection&) const = default;
};

// A tap's catalog: its streams, their JSON schemas, and the metadata by which it is told what to
// extract. Keeps what it does not know, the order of keys and the text of numbers.
class Catalog {
 public:
  // What a tap prints for `--discover`, or a catalog file. Error kInvalid: no JSON, no map, or
  // streams that are none.
  static Catalog read(std::string_view text);

  // Applies schema, `!*.*`, select, metadata and select_filter, in this order, exactly as Meltano
  // 4.4 does, so applying the same rules again changes nothing. Metadata entries that are missing
  // are made, but only for properties whose names, and those of what they lie in, are letters,
  // digits and `_`. Returns warnings, each once: streams and properties that a rule names and the
  // catalog does not have. Error kInvalid for rules or a catalog that they cannot be applied to.
  std::vector<std::string> apply(const CatalogRules& rules);
  // The same with select_filter alone: no other rule applies to a catalog that the user gives.
  std::vector<std::string> apply_filter(const std::vector<std::string>& select_filter);

  // By stream and property, as the metadata has it.
  std::vector<PropertySelection> selections() const;

  // As Meltano writes it: JSON in ASCII with an indentation of 2, without a line break at the end.
  std::string text() const;

 private:
  explicit Catalog(json::Value document) : document_(std::move(document)) {}
  std::vector<std::string> apply_metadata(const std::vector<MetadataRule>& rules);

  json::Value document_;
};

}  // namespace tidemark::singer
