#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tidemark/json/value.h"
#include "tidemark/schema/data_type.h"
#include "tidemark/schema/naming.h"

namespace tidemark::singer {

// What a JSON schema says that the values of a property are.
struct PropertyType {
  enum class Kind {
    kUnknown,  // nothing: to be told from the values
    kScalar,
    kObject,  // with properties that are known
    kList,    // of scalars, or of such objects
    kJson,    // any other object or list, or a mix with scalars
  };
  Kind kind = Kind::kUnknown;
  schema::DataType data_type = schema::DataType::kText;  // of a kScalar
  std::optional<int> precision = {};                     // of a decimal
  std::optional<int> scale = {};

  bool operator==(const PropertyType&) const = default;
};

// The rules are those of the Singer SDK's SQL targets, but that no value is lost: what may be
// several things gets a type that holds each, and `multipleOf` makes a decimal. root is the schema
// that the property is part of, for what its references name.
PropertyType property_type(const json::Value& property, const json::Object& root);

// A stream's JSON schema as partial tables for schema::Schema::update_table(): the stream's own,
// then those of its lists, each column as the normalizer names it. Left out, and so told from the
// values, is what the schema does not type, and a name that another property has taken. nesting:
// levels of objects and lists that become columns and tables of their own; what lies deeper is a
// json column. Pure.
std::vector<json::Object> tables_of(const json::Object& schema, const std::string& table,
                                    const schema::Naming& naming, int nesting);

}  // namespace tidemark::singer
