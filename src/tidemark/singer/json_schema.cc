#include "tidemark/singer/json_schema.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "tidemark/schema/decimal.h"
#include "tidemark/schema/schema.h"
#include "tidemark/schema/unicode.h"

namespace tidemark::singer {
namespace {

using schema::DataType;
using Kind = PropertyType::Kind;
// A property, whatever it is composed of: all of these count together.
using Parts = std::vector<const json::Object*>;

constexpr size_t kMaxParts = 1000;  // compositions that refer to each other end here

// What `#/definitions/x` refers to in root; nullptr for anything that is not there.
const json::Object* resolve(std::string_view reference, const json::Object& root) {
  if (!reference.starts_with('#')) return nullptr;
  reference.remove_prefix(1);
  const json::Object* node = &root;
  while (node != nullptr && reference.starts_with('/')) {
    reference.remove_prefix(1);
    const std::string_view key = reference.substr(0, reference.find('/'));
    reference.remove_prefix(key.size());
    const json::Value* member = node->find(key);
    node = member != nullptr && member->is_object() ? &member->as_object() : nullptr;
  }
  return node;
}

void add_parts(const json::Object& property, const json::Object& root, Parts& parts) {
  if (parts.size() >= kMaxParts || std::ranges::find(parts, &property) != parts.end()) return;
  parts.push_back(&property);
  const json::Value* reference = property.find("$ref");
  if (reference != nullptr && reference->is_string()) {
    const json::Object* target = resolve(reference->as_string(), root);
    if (target != nullptr) add_parts(*target, root, parts);
  }
  for (const std::string_view key : {"anyOf", "oneOf", "allOf"}) {
    const json::Value* list = property.find(key);
    if (list == nullptr || !list->is_array()) continue;
    for (const json::Value& part : list->as_array()) {
      if (part.is_object()) add_parts(part.as_object(), root, parts);
    }
  }
}

Parts parts_of(const json::Value& property, const json::Object& root) {
  Parts parts;
  if (property.is_object()) add_parts(property.as_object(), root, parts);
  return parts;
}

std::string_view name_of_type(const json::Value& value) {
  const std::string_view kind = json::kind_name(value);
  if (kind != "number") return kind;
  return value.as_number().is_integer() ? "integer" : "number";
}

// The first part's member of that name.
const json::Value* find(const Parts& parts, std::string_view key) {
  for (const json::Object* part : parts) {
    if (const json::Value* member = part->find(key)) return member;
  }
  return nullptr;
}

std::set<std::string_view> declared_types(const Parts& parts) {
  std::set<std::string_view> types;
  for (const json::Object* part : parts) {
    const json::Value* type = part->find("type");
    if (type == nullptr) continue;
    if (type->is_string()) types.insert(type->as_string());
    if (!type->is_array()) continue;
    for (const json::Value& item : type->as_array()) {
      if (item.is_string()) types.insert(item.as_string());
    }
  }
  return types;
}

// Of a property without `type`, from what else it says.
std::set<std::string_view> implied_types(const Parts& parts) {
  std::set<std::string_view> types;
  if (find(parts, "properties") != nullptr) types.insert("object");
  if (find(parts, "items") != nullptr) types.insert("array");
  if (find(parts, "format") != nullptr) types.insert("string");
  if (const json::Value* constant = find(parts, "const")) types.insert(name_of_type(*constant));
  const json::Value* values = find(parts, "enum");
  if (values != nullptr && values->is_array()) {
    for (const json::Value& value : values->as_array()) types.insert(name_of_type(value));
  }
  return types;
}

std::set<std::string_view> types_of(const Parts& parts) {
  std::set<std::string_view> types = declared_types(parts);
  if (types.empty()) types = implied_types(parts);
  types.erase("null");
  if (types.contains("number")) types.erase("integer");
  return types;
}

PropertyType scalar(DataType type) { return {.kind = Kind::kScalar, .data_type = type}; }

PropertyType decimal(int precision, int scale) {
  return {.kind = Kind::kScalar,
          .data_type = DataType::kDecimal,
          .precision = precision,
          .scale = scale};
}

std::optional<int> integer_member(const Parts& parts, std::string_view key) {
  const json::Value* member = find(parts, key);
  if (member == nullptr || !member->is_number()) return std::nullopt;
  const std::optional<int64_t> value = member->as_number().to_int64();
  if (!value || *value < 0 || *value > schema::kMaxDecimalDigits) return std::nullopt;
  return static_cast<int>(*value);
}

PropertyType text_type(const Parts& parts) {
  for (const json::Object* part : parts) {
    const json::Value* format = part->find("format");
    if (format == nullptr || !format->is_string()) continue;
    if (*format == "date-time") return scalar(DataType::kTimestamp);
    if (*format == "date") return scalar(DataType::kDate);
    if (*format == "time") return scalar(DataType::kTime);
    if (*format == "singer.decimal" || *format == "x-singer.decimal") {
      const int precision =
          std::max(integer_member(parts, "precision").value_or(schema::kMaxDecimalDigits), 1);
      const int scale = integer_member(parts, "scale").value_or(schema::kDecimalScale);
      return decimal(precision, std::min(scale, precision));
    }
  }
  return scalar(DataType::kText);
}

// The members that bound a number.
std::vector<json::Number> bounds_of(const Parts& parts) {
  std::vector<json::Number> bounds;
  for (const json::Object* part : parts) {
    for (const std::string_view key :
         {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}) {
      const json::Value* bound = part->find(key);
      if (bound != nullptr && bound->is_number()) bounds.push_back(bound->as_number());
    }
  }
  return bounds;
}

PropertyType integer_type(const Parts& parts) {
  constexpr double kBigintEnd = 9223372036854775808.0;
  for (const json::Number& bound : bounds_of(parts)) {
    const double value = bound.to_double();
    const bool fits = bound.to_int64() || (value >= -kBigintEnd && value < kBigintEnd);
    if (!fits) return decimal(schema::kMaxDecimalDigits, 0);
  }
  return scalar(DataType::kBigint);
}

// Digits behind the point of the number's multiples; nothing when it has none, or too many.
std::optional<int> scale_of(const json::Value& multiple_of) {
  if (!multiple_of.is_number()) return std::nullopt;
  std::optional<schema::Decimal> value = schema::parse_decimal(multiple_of.as_number().text());
  if (!value || value->unscaled <= 0) return std::nullopt;
  for (; value->scale > 0 && value->unscaled % 10 == 0; --value->scale) value->unscaled /= 10;
  return value->scale;
}

// Digits in front of the point that the bounds leave room for; those of a bigint without bounds.
int whole_digits(const Parts& parts) {
  constexpr int kBigintDigits = 19;
  const std::vector<json::Number> bounds = bounds_of(parts);
  int digits = bounds.empty() ? kBigintDigits : 1;
  for (const json::Number& bound : bounds) {
    const auto value = schema::parse_decimal(bound.text());
    if (!value) return schema::kMaxDecimalDigits;
    schema::Int128 whole = value->unscaled;
    for (int i = 0; i < value->scale; ++i) whole /= 10;
    int count = 0;
    for (; whole != 0; whole /= 10) ++count;
    digits = std::max(digits, count);
  }
  return digits;
}

// Where 38 digits do not hold both sides of the point, nine stay behind it, as in a decimal that
// says nothing of its scale.
PropertyType number_type(const Parts& parts) {
  const json::Value* multiple_of = find(parts, "multipleOf");
  const std::optional<int> scale = multiple_of != nullptr ? scale_of(*multiple_of) : std::nullopt;
  if (!scale) return scalar(DataType::kDouble);
  const bool fits = *scale + whole_digits(parts) <= schema::kMaxDecimalDigits;
  return decimal(schema::kMaxDecimalDigits,
                 fits ? *scale : std::min(*scale, schema::kDecimalScale));
}

bool is_object_with_properties(const Parts& parts) {
  return std::ranges::any_of(parts, [](const json::Object* part) {
    const json::Value* properties = part->find("properties");
    return properties != nullptr && properties->is_object() && !properties->as_object().empty();
  });
}

PropertyType type_of(const Parts& parts, const json::Object& root);

Kind list_kind(const Parts& parts, const json::Object& root) {
  const json::Value* items = find(parts, "items");
  if (items == nullptr) return Kind::kJson;
  const Parts item = parts_of(*items, root);
  if (types_of(item).contains("array")) return Kind::kJson;
  const Kind kind = type_of(item, root).kind;
  return kind == Kind::kScalar || kind == Kind::kObject ? Kind::kList : Kind::kJson;
}

PropertyType type_of(const Parts& parts, const json::Object& root) {
  const std::set<std::string_view> types = types_of(parts);
  if (types.empty()) return {};
  if (types.contains("object") || types.contains("array")) {
    if (types.size() > 1) return {.kind = Kind::kJson};
    if (types.contains("array")) return {.kind = list_kind(parts, root)};
    return {.kind = is_object_with_properties(parts) ? Kind::kObject : Kind::kJson};
  }
  if (types.size() > 1) return scalar(DataType::kText);
  if (types.contains("boolean")) return scalar(DataType::kBool);
  if (types.contains("integer")) return integer_type(parts);
  if (types.contains("number")) return number_type(parts);
  return types.contains("string") ? text_type(parts) : PropertyType{};
}

using Fragments = std::vector<std::string>;

Fragments joined(const Fragments& first, const Fragments& second) {
  Fragments all = first;
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

// Makes the tables of one stream.
class TableMaker {
 public:
  TableMaker(const json::Object& root, const schema::Naming& naming)
      : root_(root), naming_(naming) {}

  std::vector<json::Object> make(const std::string& table, int nesting) {
    Parts parts;
    add_parts(root_, root_, parts);
    add_properties(add_table({table}, ""), parts, {}, nesting);
    return std::move(tables_);
  }

 private:
  struct Table {
    size_t place = 0;     // in tables_
    Fragments fragments;  // of its name
  };

  Table add_table(Fragments fragments, const std::string& parent) {
    json::Object table{{"name", naming_.shorten_fragments(fragments)}};
    if (!parent.empty()) table.set("parent", parent);
    table.set("columns", json::Object());
    tables_.push_back(std::move(table));
    return {.place = tables_.size() - 1, .fragments = std::move(fragments)};
  }

  const std::string& name_of(const Table& table) {
    return tables_[table.place].find("name")->as_string();
  }

  void add_properties(const Table& table, const Parts& parts, const Fragments& above, int level) {
    open_.insert(open_.end(), parts.begin(), parts.end());
    for (const json::Object* part : parts) {
      const json::Value* properties = part->find("properties");
      if (properties == nullptr || !properties->is_object()) continue;
      for (const auto& [name, property] : properties->as_object()) {
        if (schema::strip(name).empty()) continue;
        add_property(table, parts_of(property, root_),
                     joined(above, {naming_.normalize_name(name)}), level);
      }
    }
    open_.resize(open_.size() - parts.size());
  }

  // A schema that contains itself ends in a json column.
  void add_property(const Table& table, const Parts& parts, const Fragments& path, int level) {
    const PropertyType type = type_of(parts, root_);
    const bool is_whole = level <= 0 || is_open(parts);
    switch (type.kind) {
      case Kind::kUnknown:
        return;
      case Kind::kObject:
        if (is_whole) break;
        return add_properties(table, parts, path, level - 1);
      case Kind::kList: {
        const Parts items = parts_of(*find(parts, "items"), root_);
        if (is_whole || is_open(items)) break;
        return add_list(table, items, path, level - 1);
      }
      case Kind::kScalar:
        return add_column(table, path, type);
      case Kind::kJson:
        break;
    }
    add_column(table, path, scalar(DataType::kJson));
  }

  bool is_open(const Parts& parts) const {
    return std::ranges::any_of(parts, [this](const json::Object* part) {
      return std::ranges::find(open_, part) != open_.end();
    });
  }

  void add_list(const Table& table, const Parts& items, const Fragments& path, int level) {
    const Fragments fragments = joined(table.fragments, path);
    const std::string name = naming_.shorten_fragments(fragments);
    const bool is_taken = std::ranges::any_of(
        tables_, [&](const json::Object& other) { return *other.find("name") == name; });
    if (is_taken) return;
    const Table list = add_table(fragments, name_of(table));
    const PropertyType type = type_of(items, root_);
    if (type.kind == Kind::kScalar) {
      add_column(list, {"value"}, type);
    } else {
      add_properties(list, items, {}, level);
    }
  }

  void add_column(const Table& table, const Fragments& path, const PropertyType& type) {
    const std::string name = naming_.shorten_fragments(path);
    json::Object& columns = tables_[table.place].find("columns")->as_object();
    if (schema::is_system_name(name) || columns.contains(name)) return;
    json::Object column{
        {"name", name}, {"data_type", schema::to_string(type.data_type)}, {"nullable", true}};
    if (type.precision) column.set("precision", *type.precision);
    if (type.scale) column.set("scale", *type.scale);
    columns.set(name, std::move(column));
  }

  const json::Object& root_;
  const schema::Naming& naming_;
  std::vector<json::Object> tables_;
  Parts open_;  // the objects that the property at hand lies in
};

}  // namespace

PropertyType property_type(const json::Value& property, const json::Object& root) {
  return type_of(parts_of(property, root), root);
}

std::vector<json::Object> tables_of(const json::Object& schema, const std::string& table,
                                    const schema::Naming& naming, int nesting) {
  return TableMaker(schema, naming).make(table, nesting);
}

}  // namespace tidemark::singer
