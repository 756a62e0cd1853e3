#include "tidemark/singer/json_schema.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/json/read.h"

namespace tidemark::singer {
namespace {

using testing::ElementsAre;

std::string described(const PropertyType& type) {
  switch (type.kind) {
    case PropertyType::Kind::kUnknown:
      return "unknown";
    case PropertyType::Kind::kObject:
      return "object";
    case PropertyType::Kind::kList:
      return "list";
    case PropertyType::Kind::kJson:
      return "json";
    case PropertyType::Kind::kScalar:
      break;
  }
  if (!type.precision) return std::string(schema::to_string(type.data_type));
  return fmt::format("{}({},{})", schema::to_string(type.data_type), *type.precision, *type.scale);
}

struct Vector {
  std::string_view property;
  std::string_view type;
};

constexpr Vector kVectors[] = {
    // One type, with null or without.
    {R"({"type": "string"})", "text"},
    {R"({"type": ["null", "string"], "maxLength": 10})", "text"},
    {R"({"type": "integer"})", "bigint"},
    {R"({"type": ["number"]})", "double"},
    {R"({"type": ["boolean", "null"]})", "bool"},
    {R"({"type": "null"})", "unknown"},
    {R"({"type": []})", "unknown"},
    {R"({"type": "money"})", "unknown"},
    {R"({})", "unknown"},
    {"true", "unknown"},
    // Formats of text.
    {R"({"type": ["string", "null"], "format": "date-time"})", "timestamp"},
    {R"({"type": "string", "format": "date"})", "date"},
    {R"({"type": "string", "format": "time"})", "time"},
    {R"({"type": "string", "format": "uuid"})", "text"},
    {R"({"type": "string", "format": "email"})", "text"},
    {R"({"type": "string", "format": "singer.decimal", "precision": 20, "scale": 4})",
     "decimal(20,4)"},
    {R"({"type": "string", "format": "x-singer.decimal"})", "decimal(38,9)"},
    {R"({"type": "string", "format": "x-singer.decimal", "precision": 4, "scale": 30})",
     "decimal(4,4)"},
    {R"({"format": "date-time"})", "timestamp"},
    {R"({"type": "integer", "format": "date-time"})", "bigint"},
    // Numbers.
    {R"({"type": "integer", "minimum": -9223372036854775808, "maximum": 9223372036854775807})",
     "bigint"},
    {R"({"type": "integer", "minimum": 0, "maximum": 18446744073709551615})", "decimal(38,0)"},
    {R"({"type": "integer", "maximum": 1e19})", "decimal(38,0)"},
    {R"({"type": "integer", "multipleOf": 2})", "bigint"},
    {R"({"type": "number", "multipleOf": 0.01})", "decimal(38,2)"},
    {R"({"type": "number", "multipleOf": 0.250})", "decimal(38,2)"},
    {R"({"type": "number", "multipleOf": 1e-10})", "decimal(38,10)"},
    {R"({"type": "number", "multipleOf": 5})", "decimal(38,0)"},
    {R"({"type": "number", "multipleOf": 0})", "double"},
    {R"({"type": "number", "multipleOf": 1e-38})", "decimal(38,9)"},
    {R"({"type": "number", "multipleOf": 1e-30, "minimum": -100, "maximum": 100})",
     "decimal(38,30)"},
    {R"({"type": "number", "multipleOf": 1e-12, "exclusiveMaximum": true, "maximum": 1e62})",
     "decimal(38,9)"},
    {R"({"type": ["integer", "number", "null"]})", "double"},
    // Several types.
    {R"({"type": ["string", "integer", "null"]})", "text"},
    {R"({"type": ["boolean", "number"]})", "text"},
    {R"({"type": ["string", "object"]})", "json"},
    {R"({"type": ["array", "string", "null"], "items": {"type": "string"}})", "json"},
    // Values in the place of types.
    {R"({"enum": ["a", "b", null]})", "text"},
    {R"({"enum": [1, 2.5]})", "double"},
    {R"({"const": true})", "bool"},
    // Compositions.
    {R"({"anyOf": [{"type": "null"}, {"type": "string", "format": "date-time"}]})", "timestamp"},
    {R"({"anyOf": [{"type": "string", "format": "date-time"}, {"type": ["string", "null"]}]})",
     "timestamp"},
    {R"({"oneOf": [{"type": "integer"}, {"type": "null"}]})", "bigint"},
    {R"({"anyOf": [{"type": "integer"}, {"type": "string"}]})", "text"},
    {R"({"anyOf": [{"type": "object", "properties": {"a": {}}}, {"type": "null"}]})", "object"},
    {R"({"anyOf": [{"type": "object"}, {"type": "string"}]})", "json"},
    {R"({"allOf": [{"type": "number"}, {"multipleOf": 0.1}]})", "decimal(38,1)"},
    {R"({"$ref": "#/definitions/day"})", "date"},
    {R"({"anyOf": [{"$ref": "#/$defs/deep/day"}, {"type": "null"}]})", "timestamp"},
    {R"({"$ref": "#/definitions/none"})", "unknown"},
    {R"({"$ref": "other.json"})", "unknown"},
    {R"({"$ref": "#/definitions/ring"})", "bigint"},
    // Objects and lists.
    {R"({"type": ["object", "null"], "properties": {"a": {"type": "string"}}})", "object"},
    {R"({"properties": {"a": {}}})", "object"},
    {R"({"type": "object"})", "json"},
    {R"({"type": "object", "properties": {}})", "json"},
    {R"({"type": "object", "additionalProperties": {"type": "string"}})", "json"},
    {R"({"type": "array", "items": {"type": ["string", "null"]}})", "list"},
    {R"({"type": "array", "items": {"properties": {"a": {}}}})", "list"},
    {R"({"items": {"$ref": "#/definitions/day"}})", "list"},
    {R"({"type": "array"})", "json"},
    {R"({"type": "array", "items": {}})", "json"},
    {R"({"type": "array", "items": {"type": "object"}})", "json"},
    {R"({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}})", "json"},
    {R"({"type": "array", "items": [{"type": "integer"}]})", "json"},
    {R"({"$ref": "#/definitions/lists"})", "json"},
};

TEST(PropertyType, IsWhatSingerTargetsMakeOfIt) {
  const json::Value root = json::read(R"({
      "definitions": {"day": {"type": "string", "format": "date"},
                      "ring": {"anyOf": [{"$ref": "#/definitions/ring"}, {"type": "integer"}]},
                      "lists": {"type": "array", "items": {"$ref": "#/definitions/lists"}}},
      "$defs": {"deep": {"day": {"type": "string", "format": "date-time"}}}})");
  for (const Vector& vector : kVectors) {
    EXPECT_EQ(described(property_type(json::read(vector.property), root.as_object())), vector.type)
        << vector.property;
  }
}

// `table(parent): column type, ...` of each table.
std::vector<std::string> tables(std::string_view schema, int nesting = 1000) {
  const auto naming = schema::make_naming("snake_case", std::nullopt, true);
  const json::Value document = json::read(schema);
  std::vector<std::string> found;
  for (const json::Object& table : tables_of(document.as_object(), "users", *naming, nesting)) {
    std::string text = table.find("name")->as_string();
    if (const json::Value* parent = table.find("parent")) {
      text += fmt::format("({})", parent->as_string());
    }
    std::string separator = ": ";
    for (const auto& [name, column] : table.find("columns")->as_object()) {
      EXPECT_EQ(column.find("name")->as_string(), name);
      text += fmt::format("{}{} {}", separator, name, column.find("data_type")->as_string());
      separator = ", ";
    }
    found.push_back(text);
  }
  return found;
}

constexpr std::string_view kNested = R"({"type": "object", "properties": {
    "id": {"type": "integer"},
    "homeAddress": {"type": "object", "properties": {
        "city": {"type": "string"},
        "geo": {"type": "object", "properties": {"lat": {"type": "number"}}},
        "lines": {"type": "array", "items": {"type": "string"}}}},
    "orders": {"type": ["array", "null"], "items": {"type": "object", "properties": {
        "at": {"type": "string", "format": "date-time"},
        "items": {"type": "array", "items": {"properties": {"sku": {"type": "string"}}}}}}},
    "raw": {"type": "object"},
    "open": {}}})";

TEST(TablesOf, TakeObjectsAndListsApart) {
  EXPECT_THAT(
      tables(kNested),
      ElementsAre("users: id bigint, home_address__city text, home_address__geo__lat double, "
                  "raw json",
                  "users__home_address__lines(users): value text",
                  "users__orders(users): at timestamp",
                  "users__orders__items(users__orders): sku text"));
}

TEST(TablesOf, KeepWhatLiesDeeperThanAskedForAsJson) {
  EXPECT_THAT(tables(kNested, 0),
              ElementsAre("users: id bigint, home_address json, orders json, raw json"));
  EXPECT_THAT(tables(kNested, 1),
              ElementsAre("users: id bigint, home_address__city text, home_address__geo json, "
                          "home_address__lines json, raw json",
                          "users__orders(users): at timestamp, items json"));
}

TEST(TablesOf, LeaveTheSecondOfTwoPropertiesOfOneNameToTheValues) {
  EXPECT_THAT(tables(R"({"properties": {"userId": {"type": "integer"},
                                        "user_id": {"type": "string"},
                                        "l": {"type": "array", "items": {"type": "string"}},
                                        "L": {"type": "array", "items": {"type": "integer"}}}})"),
              ElementsAre("users: user_id bigint", "users__l(users): value text"));
}

TEST(TablesOf, LeaveNamesOfTheLoaderAndBlankOnesAlone) {
  EXPECT_THAT(
      tables(R"({"properties": {"_dlt_id": {"type": "integer"}, " ": {"type": "string"}}})"),
      ElementsAre("users"));
}

TEST(TablesOf, EndASchemaThatContainsItselfInJson) {
  EXPECT_THAT(
      tables(R"({"properties": {"tree": {"$ref": "#/definitions/node"}, "self": {"$ref": "#"}},
                 "definitions": {"node": {"type": "object", "properties": {
                     "name": {"type": "string"},
                     "parent": {"$ref": "#/definitions/node"},
                     "children": {"type": "array", "items": {"$ref": "#/definitions/node"}}}}}})"),
      ElementsAre("users: tree__name text, tree__parent json, tree__children json, self json"));
}

TEST(TablesOf, JoinTheAlternativesOfAnObject) {
  EXPECT_THAT(tables(R"({"anyOf": [{"properties": {"a": {"type": "string"}}},
                                   {"properties": {"b": {"type": "integer"}}}]})"),
              ElementsAre("users: a text, b bigint"));
}

TEST(TablesOf, SayWhatADecimalHolds) {
  const auto naming = schema::make_naming("snake_case", std::nullopt, true);
  const json::Value schema =
      json::read(R"({"properties": {"n": {"type": "number", "multipleOf": 0.01}}})");
  const json::Object table = tables_of(schema.as_object(), "t", *naming, 0).front();
  EXPECT_EQ(table.find("columns")->as_object(),
            (json::Object{{"n", json::Object{{"name", "n"},
                                             {"data_type", "decimal"},
                                             {"nullable", true},
                                             {"precision", 38},
                                             {"scale", 2}}}}));
}

}  // namespace
}  // namespace tidemark::singer
