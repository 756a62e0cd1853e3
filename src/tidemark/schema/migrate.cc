#include "tidemark/schema/migrate.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "tidemark/base/error.h"
#include "tidemark/schema/schema.h"

namespace tidemark::schema {
namespace {

json::Object& object_at(json::Object& parent, std::string_view key) {
  json::Value* value = parent.find(key);
  if (value == nullptr || !value->is_object()) {
    throw Error(ErrorCode::kInvalid, fmt::format("{}: expected an object", key));
  }
  return value->as_object();
}

// The object of that key; a missing one is added empty.
json::Object& object_or_new(json::Object& parent, std::string_view key) {
  if (!parent.contains(key)) {
    parent.set(key, json::Object());
  }
  return object_at(parent, key);
}

json::Value take(json::Object& parent, std::string_view key, json::Value otherwise) {
  json::Value* value = parent.find(key);
  json::Value result = value == nullptr ? std::move(otherwise) : std::move(*value);
  parent.erase(key);
  return result;
}

bool is_true(const json::Value* value) {
  return value != nullptr && value->is_bool() && value->as_bool();
}

void add_include_lists(json::Object& document) {
  document.set("includes", json::Array());
  document.set("excludes", json::Array());
}

// Up to engine 2 a table was only its columns; the parent was in the name.
std::optional<std::string> parent_in_name(const json::Object& tables, std::string_view name) {
  for (size_t at = name.rfind("__"); at != std::string_view::npos && at > 0;
       at = name.rfind("__")) {
    name = name.substr(0, at);
    if (tables.contains(name)) {
      return std::string(name);
    }
  }
  return std::nullopt;
}

json::Object new_table(std::string_view name, json::Value columns,
                       std::optional<std::string> parent) {
  json::Object table = {{"name", name}, {"columns", std::move(columns)}};
  if (parent) {
    table.set("parent", std::move(*parent));
  } else {
    table.set("write_disposition", "append");
    table.set("resource", name);
  }
  return table;
}

// `^root__path` was a filter for the tables below root.
void move_filters(json::Object& document, std::string_view group, const json::Value& filters) {
  for (const json::Value& item : filters.as_array()) {
    const std::string& filter = item.as_string();
    const size_t separator = filter.find("__");
    if (filter.empty() || separator == std::string::npos || separator == 0) {
      throw Error(ErrorCode::kInvalid,
                  fmt::format("{}: expected `^table__path`, not `{}`", group, filter));
    }
    const std::string root = filter.substr(1, separator - 1);
    json::Object& tables = object_at(document, "tables");
    if (!tables.contains(root)) {
      tables.set(root, new_table(root, json::Object(), std::nullopt));
    }
    json::Object& table_filters = object_or_new(object_at(tables, root), "filters");
    json::Value& list = table_filters[group];
    if (list.is_null()) {
      list = json::Array();
    }
    list.as_array().push_back("re:^" + filter.substr(separator + 2));
  }
}

json::Object to_regexes(const json::Value& hints) {
  json::Object result;
  for (const auto& [hint, patterns] : hints.as_object()) {
    json::Array list;
    for (const json::Value& pattern : patterns.as_array()) {
      list.push_back("re:" + pattern.as_string());
    }
    result.set(hint, std::move(list));
  }
  return result;
}

void add_normalizers_and_settings(json::Object& document) {
  document.set("normalizers", json::Object{{"names", "snake_case"},
                                           {"json", json::Object{{"module", kRelationalModule},
                                                                 {"config", json::Object{}}}}});
  object_at(object_at(object_at(document, "normalizers"), "json"), "config")
      .set("propagation",
           json::Object{{"root", json::Object{{std::string(kIdColumn), kRootIdColumn}}}});

  json::Object preferred_types;
  const json::Value old_types = take(document, "preferred_types", json::Object());
  for (const auto& [pattern, type] : old_types.as_object()) {
    preferred_types.set("re:" + pattern, type);
  }
  document.set("settings",
               json::Object{{"default_hints", to_regexes(take(document, "hints", json::Object()))},
                            {"preferred_types", std::move(preferred_types)}});

  const json::Value old_tables = take(document, "tables", json::Object());
  json::Object tables;
  for (const auto& [name, columns] : old_tables.as_object()) {
    tables.set(name, new_table(name, columns, parent_in_name(old_tables.as_object(), name)));
  }
  document.set("tables", std::move(tables));
  for (std::string_view group : {"excludes", "includes"}) {
    move_filters(document, group, take(document, group, json::Array()));
  }
}

void add_version_hash(json::Object& document) {
  if (!document.contains("version_hash")) {
    document.set("version_hash", "");
  }
}

void replace_version_table(json::Object& document) {
  object_at(document, "tables").set(kVersionTable, version_table());
}

void replace_loads_table(json::Object& document) {
  object_at(document, "tables").set(kLoadsTable, loads_table());
}

void remove_seals(json::Object& document) {
  object_at(document, "settings").erase("schema_sealed");
  for (auto& [name, table] : object_at(document, "tables")) {
    table.as_object().erase("table_sealed");
  }
}

void add_previous_hashes(json::Object& document) { document.set("previous_hashes", json::Array()); }

// Packages that are on their way count as loaded.
void add_seen_data(json::Object& document) {
  for (auto& [name, table] : object_at(document, "tables")) {
    if (object_at(table.as_object(), "columns").contains(kIdColumn)) {
      object_or_new(table.as_object(), "x-normalizer").set("seen-data", true);
    }
  }
}

void rename_complex(json::Object& parent, std::string_view key) {
  json::Value* type = parent.find(key);
  if (type != nullptr && type->is_string() && type->as_string() == "complex") {
    *type = "json";
  }
}

void copy_hint(json::Object& columns, std::string_view column, std::string_view from,
               std::string_view to) {
  if (!columns.contains(column)) {
    return;
  }
  json::Object& object = object_at(columns, column);
  const json::Value* hint = object.find(from);
  object.set(to, hint == nullptr ? json::Value(false) : *hint);
}

void add_row_and_parent_keys(json::Object& document) {
  for (auto& [name, table] : object_at(document, "tables")) {
    json::Object& columns = object_at(table.as_object(), "columns");
    copy_hint(columns, kIdColumn, "unique", "row_key");
    copy_hint(columns, kParentIdColumn, "foreign_key", "parent_key");
    for (auto& [column_name, column] : columns) {
      rename_complex(column.as_object(), "data_type");
      column.as_object().erase("foreign_key");
    }
  }
}

void add_key_hints(json::Object& document) {
  json::Object& settings = object_at(document, "settings");
  if (settings.contains("preferred_types")) {
    json::Object& types = object_at(settings, "preferred_types");
    for (const auto& [pattern, type] : json::Object(types)) {
      rename_complex(types, pattern);
    }
  }
  const json::Value* hints = settings.find("default_hints");
  if (hints != nullptr && hints->is_object() && !hints->as_object().empty()) {
    json::Object& default_hints = object_at(settings, "default_hints");
    default_hints.erase("foreign_key");
    default_hints.set("row_key", json::Array{kIdColumn});
    default_hints.set("parent_key", json::Array{kParentIdColumn});
  }
}

void add_keys(json::Object& document) {
  add_row_and_parent_keys(document);
  add_key_hints(document);
  json::Object& normalizers = object_at(document, "normalizers");
  json::Value* normalizer = normalizers.find("json");
  json::Value* config = normalizer == nullptr ? nullptr : normalizer->find("config");
  if (config != nullptr && config->is_object()) {
    config->as_object().erase("generate_dlt_id");
  }
}

void keep_old_name_paths(json::Object& document) {
  object_at(document, "normalizers").set("use_break_path_on_normalize", false);
}

// kSteps[i] leads from engine i + 1 to the next.
using Step = void (*)(json::Object&);
constexpr std::array<Step, kEngineVersion - 1> kSteps = {
    add_include_lists,
    add_normalizers_and_settings,
    add_version_hash,
    replace_version_table,
    replace_loads_table,
    remove_seals,
    add_previous_hashes,
    add_seen_data,
    add_keys,
    keep_old_name_paths,
};

int64_t engine_of(const json::Object& document) {
  const json::Value* engine = document.find("engine_version");
  std::optional<int64_t> number =
      engine != nullptr && engine->is_number() ? engine->as_number().to_int64() : std::nullopt;
  if (!number || *number < 1) {
    throw Error(ErrorCode::kInvalid, "engine_version: expected a number from 1");
  }
  if (*number > kEngineVersion) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("engine_version {} is newer than {}, the newest known here", *number,
                            kEngineVersion));
  }
  return *number;
}

// Columns that had only seen null were once kept with this flag.
void drop_null_columns(json::Object& columns) {
  std::vector<std::string> dropped;
  for (auto& [name, column] : columns) {
    json::Value* normalizer = column.find("x-normalizer");
    if (normalizer == nullptr || !is_true(normalizer->find("seen-null-first"))) {
      continue;
    }
    if (!column.as_object().contains("data_type")) {
      dropped.push_back(name);
      continue;
    }
    normalizer->as_object().erase("seen-null-first");
    if (normalizer->as_object().empty()) {
      column.as_object().erase("x-normalizer");
    }
  }
  for (const std::string& name : dropped) {
    columns.erase(name);
  }
}

bool is_null_or_missing(const json::Object& object, std::string_view key) {
  const json::Value* value = object.find(key);
  return value == nullptr || value->is_null();
}

void complete_tables(json::Object& tables) {
  for (auto& [name, value] : tables) {
    json::Object& table = value.as_object();
    table.set("name", name);
    json::Object& columns = object_at(table, "columns");
    drop_null_columns(columns);
    for (auto& [column_name, column] : columns) {
      column.as_object().set("name", column_name);
    }
    if (!TableView(table).parent()) {
      if (is_null_or_missing(table, "write_disposition")) {
        table.set("write_disposition", "append");
      }
      if (is_null_or_missing(table, "resource")) {
        table.set("resource", name);
      }
    }
  }
}

}  // namespace

void migrate_document(json::Object& document) {
  const int64_t engine = engine_of(document);
  for (int64_t from = engine; from < kEngineVersion; ++from) {
    kSteps[static_cast<size_t>(from - 1)](document);
  }
  document.set("engine_version", kEngineVersion);
  if (is_null_or_missing(document, "version")) {
    document.set("version", 1);
  }
  if (is_null_or_missing(document, "previous_hashes")) {
    document.set("previous_hashes", json::Array());
  }
  complete_tables(object_at(document, "tables"));
}

}  // namespace tidemark::schema
