#include "tidemark/singer/stream_rules.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "tidemark/base/error.h"
#include "tidemark/base/glob.h"
#include "tidemark/json/read.h"

namespace tidemark::singer {
namespace {

constexpr std::string_view kProperties = "properties";

Error stream_error(const json::Object& stream, std::string_view message) {
  return Error(
      ErrorCode::kInvalid,
      fmt::format("catalog: stream '{}': {}", stream.find("tap_stream_id")->as_string(), message));
}

// Whether rules reach a property of that name: Meltano looks for it by a pattern of \w* in the path
// of names joined by dots.
bool is_reached(const std::string& name) {
  static const RE2 pattern("[\\pL\\pN_]*(\\.properties\\.[\\pL\\pN_]*)*");
  return RE2::FullMatch(name, pattern);
}

// Calls visit(breadcrumb, property) for each property, a property before those inside of it, with
// the breadcrumb's parts joined by dots.
template <typename Schema, typename Visit>
void visit_properties(Schema& schema, const std::string& prefix, const Visit& visit) {
  auto* properties = schema.find(kProperties);
  if (properties == nullptr || !properties->is_object()) return;
  for (auto& [name, property] : properties->as_object()) {
    if (!property.is_object() || !is_reached(name)) continue;
    const std::string breadcrumb = fmt::format("{}{}.{}", prefix, kProperties, name);
    visit(breadcrumb, property.as_object());
    visit_properties(property.as_object(), breadcrumb + ".", visit);
  }
}

void add_property(json::Object& stream, const std::string& name) {
  json::Value& properties = stream["schema"].as_object()[kProperties];
  if (properties.is_null()) properties = json::Object();
  if (!properties.is_object()) throw stream_error(stream, "schema.properties: expected a map");
  constexpr std::string_view kWildcards = "*?[]";
  const bool is_pattern = !name.empty() && kWildcards.find(name[0]) != std::string_view::npos;
  if (!is_pattern && !properties.as_object().contains(name)) {
    properties.as_object().set(name, json::Object());
  }
}

json::Array& metadata_entries(json::Object& stream) {
  json::Value* entries = stream.find("metadata");
  if (entries == nullptr) {
    stream.set("metadata", json::Array());
    entries = stream.find("metadata");
  }
  if (!entries->is_array()) throw stream_error(stream, "metadata: expected a list");
  return entries->as_array();
}

// Nothing is set where the tap says that it cannot extract it.
void set_metadata(json::Object& metadata, const std::string& key, const json::Value& value) {
  const json::Value* inclusion = metadata.find("inclusion");
  const bool is_unsupported = inclusion != nullptr && *inclusion == "unsupported";
  if (is_unsupported && key == "selected" && value == json::Value(true)) return;
  metadata.set(key, value);
}

// A breadcrumb of its joined parts; an empty text has none.
json::Array split_at_dots(std::string_view joined) {
  json::Array parts;
  if (joined.empty()) return parts;
  for (size_t dot = joined.find('.'); dot != std::string_view::npos; dot = joined.find('.')) {
    parts.emplace_back(joined.substr(0, dot));
    joined.remove_prefix(dot + 1);
  }
  parts.emplace_back(joined);
  return parts;
}

class MetadataPass {
 public:
  MetadataPass(const std::vector<MetadataRule>& rules, json::Object& stream) : stream_(stream) {
    const std::string& id = stream.find("tap_stream_id")->as_string();
    for (const MetadataRule& rule : rules) {
      if (rule.matches_stream(id)) rules_.push_back(&rule);
    }
  }

  void run() {
    read_breadcrumbs();
    add_missing("");
    set_on_stream();
    // Taps whose metadata precedes the schema get entries that no rule applies to; so it is in
    // Meltano, and the same project selects the same with both.
    const bool is_schema_first = place_of("schema") < place_of("metadata");
    if (is_schema_first) add_missing_properties();
    set_on_entries();
    if (!is_schema_first) add_missing_properties();
  }

 private:
  size_t place_of(std::string_view key) const {
    const auto member = std::ranges::find(stream_, key, &json::Object::Member::first);
    return static_cast<size_t>(member - stream_.begin());
  }

  // Nothing for an entry that has none.
  const json::Array* breadcrumb_of(const json::Value& entry) const {
    const json::Value* breadcrumb = entry.find("breadcrumb");
    if (breadcrumb == nullptr) return nullptr;
    const bool is_list = breadcrumb->is_array() &&
                         std::ranges::all_of(breadcrumb->as_array(), &json::Value::is_string);
    if (!is_list) throw stream_error(stream_, "metadata: breadcrumb: expected a list of names");
    return &breadcrumb->as_array();
  }

  static std::string joined(const json::Array& breadcrumb) {
    std::string text;
    for (const json::Value& part : breadcrumb) {
      if (&part != &breadcrumb.front()) text += '.';
      text += part.as_string();
    }
    return text;
  }

  void read_breadcrumbs() {
    for (const json::Value& entry : metadata_entries(stream_)) {
      if (const json::Array* breadcrumb = breadcrumb_of(entry)) {
        breadcrumbs_.insert(joined(*breadcrumb));
      }
    }
  }

  void add_missing(const std::string& breadcrumb) {
    if (!breadcrumbs_.insert(breadcrumb).second) return;
    json::Array parts = split_at_dots(breadcrumb);
    const bool is_nested = parts.size() > 2;
    json::Object metadata{{"inclusion", is_nested ? "available" : "automatic"}};
    metadata_entries(stream_).emplace_back(
        json::Object{{"breadcrumb", std::move(parts)}, {"metadata", std::move(metadata)}});
  }

  void add_missing_properties() {
    const json::Value* schema = std::as_const(stream_).find("schema");
    if (schema == nullptr || !schema->is_object()) return;
    visit_properties(schema->as_object(), "",
                     [this](const std::string& breadcrumb, const json::Object& /*property*/) {
                       add_missing(breadcrumb);
                     });
  }

  void set_on_stream() {
    for (const MetadataRule* rule : rules_) {
      if (!rule->matches_breadcrumb("")) continue;
      std::string key = rule->key;
      std::ranges::replace(key, '-', '_');
      set_metadata(stream_, key, rule->value);
    }
  }

  void set_on_entries() {
    for (json::Value& entry : metadata_entries(stream_)) {
      const json::Array* breadcrumb = breadcrumb_of(entry);
      json::Value* metadata = entry.find("metadata");
      if (breadcrumb == nullptr || metadata == nullptr) continue;
      if (!metadata->is_object())
        throw stream_error(stream_, "metadata: expected maps in the list");
      const std::string place = joined(*breadcrumb);
      for (const MetadataRule* rule : rules_) {
        if (rule->matches_breadcrumb(place)) {
          set_metadata(metadata->as_object(), rule->key, rule->value);
        }
      }
    }
  }

  json::Object& stream_;
  std::vector<const MetadataRule*> rules_;
  std::unordered_set<std::string> breadcrumbs_;  // that have an entry
};

}  // namespace

void apply_schema_rules(const std::vector<SchemaRule>& rules, json::Object& stream) {
  if (!stream.contains("schema")) stream.set("schema", json::Object{{"type", "object"}});
  if (!stream["schema"].is_object()) throw stream_error(stream, "schema: expected a map");
  const std::string id = stream["tap_stream_id"].as_string();
  std::vector<const SchemaRule*> matching;
  for (const SchemaRule& rule : rules) {
    if (!glob_match(rule.stream, id)) continue;
    matching.push_back(&rule);
    add_property(stream, rule.property);
  }
  visit_properties(
      stream["schema"].as_object(), "", [&](const std::string& breadcrumb, json::Object& property) {
        for (const SchemaRule* rule : matching) {
          if (!glob_match(fmt::format("{}.{}", kProperties, rule->property), breadcrumb)) {
            continue;
          }
          if (std::ranges::count(breadcrumb, '.') > json::kMaxDepth) {
            throw stream_error(stream, fmt::format("schema: '{}' matches again inside "
                                                   "of what it puts there, without end",
                                                   rule->property));
          }
          property = rule->schema;
        }
      });
}

void apply_metadata_rules(const std::vector<MetadataRule>& rules, json::Object& stream) {
  MetadataPass(rules, stream).run();
}

}  // namespace tidemark::singer
