#include "tidemark/singer/catalog.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"
#include "tidemark/singer/stream_rules.h"

namespace tidemark::singer {
namespace {

const std::string* stream_id(const json::Value& stream) {
  const json::Value* id = stream.find("tap_stream_id");
  return id != nullptr && id->is_string() ? &id->as_string() : nullptr;
}

json::Value read_json(std::string_view text) {
  try {
    return json::read_python(text);
  } catch (Error& error) {
    error.add_context("catalog");
    throw;
  }
}

void check_streams(const json::Value& document) {
  if (!document.is_object()) {
    throw Error(ErrorCode::kInvalid, fmt::format("catalog: expected a map with `streams`, not {}",
                                                 json::kind_name(document)));
  }
  const json::Value* streams = document.find("streams");
  if (streams == nullptr) return;
  if (!streams->is_array() || !std::ranges::all_of(streams->as_array(), &json::Value::is_object)) {
    throw Error(ErrorCode::kInvalid, "catalog: streams: expected a list of maps");
  }
}

const json::Array& streams_of(const json::Value& document) {
  static const json::Array none;
  const json::Value* streams = document.find("streams");
  return streams != nullptr ? streams->as_array() : none;
}

// Calls apply(stream) for each that has an id; rules match ids.
template <typename Apply>
void for_each_stream(json::Value& document, const Apply& apply) {
  json::Value* streams = document.find("streams");
  if (streams == nullptr) return;
  for (json::Value& stream : streams->as_array()) {
    if (stream_id(stream) != nullptr) apply(stream.as_object());
  }
}

bool is_pattern(std::string_view name) {
  return name.find_first_of("*?[") != std::string_view::npos;
}

// What rules name and the catalog does not have, as warnings.
class MissingNames {
 public:
  explicit MissingNames(const json::Value& document) {
    size_t place = 0;
    for (const json::Value& stream : streams_of(document)) {
      const std::string* id = stream_id(stream);
      if (id != nullptr) {
        streams_.emplace(*id, &stream);
      } else {
        warn(fmt::format(
            "Stream {} of the catalog has no `tap_stream_id`, so no rule applies to it", place));
      }
      ++place;
    }
  }

  void check(const MetadataRule& rule) {
    for (const std::string& name : rule.streams) {
      if (is_pattern(name)) continue;
      const auto stream = streams_.find(name);
      if (stream == streams_.end()) {
        warn(fmt::format("Stream `{}` was not found in the catalog", name));
      } else {
        check_property(rule, *stream->second);
      }
    }
  }

  std::vector<std::string> take() { return std::move(warnings_); }

 private:
  // Follows the breadcrumb up to its first wildcard.
  void check_property(const MetadataRule& rule, const json::Value& stream) {
    const json::Value* node = stream.find("schema");
    std::string property;
    std::string_view rest = rule.breadcrumb;
    for (bool is_name = false; !rest.empty(); is_name = !is_name) {
      const std::string_view part = rest.substr(0, rest.find('.'));
      rest.remove_prefix(std::min(part.size() + 1, rest.size()));
      if (is_pattern(part)) return;
      node = node == nullptr ? nullptr : node->find(part);
      if (is_name) property += fmt::format("{}{}", property.empty() ? "" : ".", part);
      if (is_name && node == nullptr) {
        warn(fmt::format("Property `{}` was not found in the schema of stream `{}`", property,
                         rule.streams.front()));
        return;
      }
    }
  }

  void warn(std::string warning) {
    if (known_.insert(warning).second) warnings_.push_back(std::move(warning));
  }

  std::unordered_map<std::string, const json::Value*> streams_;
  std::set<std::string> known_;
  std::vector<std::string> warnings_;
};

Selection selection_of(const json::Value& entry) {
  const json::Value* metadata = entry.find("metadata");
  if (metadata == nullptr) return Selection::kExcluded;
  const json::Value* inclusion = metadata->find("inclusion");
  if (inclusion != nullptr && *inclusion == "automatic") return Selection::kAutomatic;
  if (inclusion != nullptr && *inclusion == "unsupported") return Selection::kUnsupported;
  const json::Value* selected = metadata->find("selected");
  if (selected == nullptr || selected->is_null()) selected = metadata->find("selected-by-default");
  const bool is_selected = selected != nullptr && *selected == json::Value(true);
  return is_selected ? Selection::kSelected : Selection::kExcluded;
}

Selection combined(Selection stream, Selection property) {
  for (const Selection selection :
       {Selection::kExcluded, Selection::kAutomatic, Selection::kUnsupported}) {
    if (stream == selection || property == selection) return selection;
  }
  return Selection::kSelected;
}

// `address.city` of properties, address, properties, city.
std::string property_name(const json::Array& breadcrumb) {
  std::string name;
  for (size_t i = 0; i + 1 < breadcrumb.size(); ++i) {
    if (breadcrumb[i] != "properties") continue;
    ++i;
    name += fmt::format("{}{}", name.empty() ? "" : ".", breadcrumb[i].as_string());
  }
  return name;
}

void add_selections(const json::Value& stream, std::vector<PropertySelection>& selections) {
  const std::string* id = stream_id(stream);
  const json::Value* entries = stream.find("metadata");
  if (id == nullptr || entries == nullptr || !entries->is_array()) return;
  std::optional<Selection> of_stream;
  std::map<std::string, Selection> of_properties;
  for (const json::Value& entry : entries->as_array()) {
    const json::Value* breadcrumb = entry.find("breadcrumb");
    if (breadcrumb == nullptr || !breadcrumb->is_array()) continue;
    if (breadcrumb->as_array().empty()) {
      of_stream = selection_of(entry);
    } else {
      of_properties.insert_or_assign(property_name(breadcrumb->as_array()), selection_of(entry));
    }
  }
  if (!of_stream) return;
  for (const auto& [property, selection] : of_properties) {
    selections.push_back({*id, property, combined(*of_stream, selection)});
  }
}

}  // namespace

std::string_view to_string(Selection selection) {
  switch (selection) {
    case Selection::kSelected:
      return "selected";
    case Selection::kExcluded:
      return "excluded";
    case Selection::kAutomatic:
      return "automatic";
    case Selection::kUnsupported:
      break;
  }
  return "unsupported";
}

Catalog Catalog::read(std::string_view text) {
  Catalog catalog(read_json(text));
  check_streams(catalog.document_);
  return catalog;
}

std::vector<std::string> Catalog::apply(const CatalogRules& rules) {
  const std::vector<SchemaRule> schemas = schema_rules(rules);
  if (!schemas.empty()) {
    for_each_stream(document_, [&](json::Object& stream) { apply_schema_rules(schemas, stream); });
  }
  return apply_metadata(metadata_rules(rules));
}

std::vector<std::string> Catalog::apply_filter(const std::vector<std::string>& select_filter) {
  const std::vector<MetadataRule> rules = filter_rules(select_filter);
  return rules.empty() ? std::vector<std::string>() : apply_metadata(rules);
}

std::vector<std::string> Catalog::apply_metadata(const std::vector<MetadataRule>& rules) {
  MissingNames missing(document_);
  for (const MetadataRule& rule : rules) missing.check(rule);
  for_each_stream(document_, [&](json::Object& stream) { apply_metadata_rules(rules, stream); });
  return missing.take();
}

std::vector<PropertySelection> Catalog::selections() const {
  std::vector<PropertySelection> selections;
  for (const json::Value& stream : streams_of(document_)) add_selections(stream, selections);
  std::ranges::stable_sort(selections, {}, [](const PropertySelection& selection) {
    return std::tie(selection.stream, selection.property);
  });
  return selections;
}

std::string Catalog::text() const { return json::write_python_pretty(document_); }

}  // namespace tidemark::singer
