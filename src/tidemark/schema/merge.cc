#include "tidemark/schema/merge.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/schema/table_view.h"

namespace tidemark::schema {
namespace {

constexpr std::array<std::string_view, 5> kCompoundHints = {"partition", "cluster", "primary_key",
                                                            "merge_key", "incremental"};

void remove_hint(json::Object& columns, std::string_view hint) {
  for (auto& [name, column] : columns) {
    column.as_object().erase(hint);
  }
}

void replace_compound_hints(json::Object& columns, const json::Object& partial_columns) {
  for (std::string_view hint : kCompoundHints) {
    const bool is_used = std::any_of(partial_columns.begin(), partial_columns.end(),
                                     [&](const json::Object::Member& member) {
                                       return ColumnView(member.second.as_object()).has_hint(hint);
                                     });
    if (is_used) {
      remove_hint(columns, hint);
    }
  }
}

void merge_column(json::Object& columns, const std::string& name, const json::Object& partial) {
  json::Value* known = columns.find(name);
  if (known == nullptr) {
    columns.set(name, partial);
    return;
  }
  json::Object merged = known->as_object();
  const bool becomes_complete =
      !ColumnView(merged).is_complete() && ColumnView(partial).is_complete();
  for (const auto& [key, value] : partial) {
    merged.set(key, value);
  }
  // The order of columns is that of their appearance in data, which is how the destination has
  // them.
  if (becomes_complete) {
    columns.erase(name);
  }
  columns.set(name, std::move(merged));
}

const json::Value* referenced_table(const json::Value& reference) {
  return reference.find("referenced_table");
}

// One reference a table: a new one for a known table takes the place of the old one.
void merge_references(json::Object& table, const json::Array& partial) {
  json::Value& known = table["references"];
  if (!known.is_array()) {
    known = json::Array();
  }
  json::Array& references = known.as_array();
  for (const json::Value& reference : partial) {
    auto same = std::find_if(references.begin(), references.end(), [&](const json::Value& other) {
      const json::Value* left = referenced_table(other);
      const json::Value* right = referenced_table(reference);
      return left != nullptr && right != nullptr && *left == *right;
    });
    if (same == references.end()) {
      references.push_back(reference);
    } else {
      *same = reference;
    }
  }
}

}  // namespace

void merge_table(json::Object& table, const json::Object& partial, CompoundHints compound) {
  json::Object& columns = table.find("columns")->as_object();
  const json::Object& partial_columns = partial.find("columns")->as_object();
  if (compound == CompoundHints::kReplace) {
    replace_compound_hints(columns, partial_columns);
  }
  for (const auto& [name, column] : partial_columns) {
    merge_column(columns, name, column.as_object());
  }
  for (const auto& [key, value] : partial) {
    if (key == "references" && value.is_array() && !value.as_array().empty()) {
      merge_references(table, value.as_array());
    } else if (key != "columns" && key != "references") {
      table.set(key, value);
    }
  }
}

}  // namespace tidemark::schema
