#include "tidemark/schema/check.h"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/core.h>
#include <re2/re2.h>

#include "tidemark/base/error.h"
#include "tidemark/schema/data_type.h"
#include "tidemark/schema/schema.h"
#include "tidemark/schema/simple_regex.h"

namespace tidemark::schema {
namespace {

constexpr size_t kMaxNameLength = 64;
constexpr int64_t kMaxVersion = int64_t{1} << 53;

[[noreturn]] void fail(std::string_view where, std::string_view expected) {
  throw Error(ErrorCode::kInvalid, fmt::format("{}: expected {}", where, expected));
}

const json::Object& object_at(const json::Object& parent, std::string_view key,
                              std::string_view where) {
  const json::Value* value = parent.find(key);
  if (value == nullptr || !value->is_object()) {
    fail(where, "an object");
  }
  return value->as_object();
}

const json::Value* find_set(const json::Object& parent, std::string_view key) {
  const json::Value* value = parent.find(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

void check_optional_text(const json::Object& parent, std::string_view key, std::string_view where) {
  const json::Value* value = find_set(parent, key);
  if (value != nullptr && !value->is_string()) {
    fail(fmt::format("{}.{}", where, key), "a string");
  }
}

void check_texts(const json::Value& list, std::string_view where) {
  if (!list.is_array()) {
    fail(where, "a list of strings");
  }
  for (const json::Value& item : list.as_array()) {
    if (!item.is_string()) {
      fail(where, "a list of strings");
    }
  }
}

void check_data_type(const json::Value& type, std::string_view where) {
  if (!type.is_string() || !data_type_from(type.as_string())) {
    fail(where, "one of dlt's data types");
  }
}

void check_versions(const json::Object& document) {
  const json::Value* version = find_set(document, "version");
  if (version != nullptr) {
    std::optional<int64_t> number =
        version->is_number() ? version->as_number().to_int64() : std::nullopt;
    if (!number || *number < 0 || *number > kMaxVersion) {
      fail("version", "a whole number");
    }
  }
  check_optional_text(document, "version_hash", "document");
  if (const json::Value* hashes = document.find("previous_hashes")) {
    check_texts(*hashes, "previous_hashes");
  }
}

void check_column(const json::Value& column, std::string_view where) {
  if (!column.is_object()) {
    fail(where, "an object");
  }
  if (const json::Value* type = find_set(column.as_object(), "data_type")) {
    check_data_type(*type, fmt::format("{}.data_type", where));
  }
}

void check_table(const json::Value& table, std::string_view name) {
  const std::string where = fmt::format("tables.{}", name);
  if (!table.is_object()) {
    fail(where, "an object");
  }
  for (std::string_view key : {"parent", "resource", "write_disposition"}) {
    check_optional_text(table.as_object(), key, where);
  }
  const std::string columns = where + ".columns";
  for (const auto& [column_name, column] : object_at(table.as_object(), "columns", columns)) {
    check_column(column, fmt::format("{}.{}", columns, column_name));
  }
}

void check_ancestors(const json::Object& tables, std::string_view name) {
  std::string_view current = name;
  for (size_t depth = 0; depth <= tables.size(); ++depth) {
    const json::Value* table = tables.find(current);
    if (table == nullptr) {
      fail(fmt::format("tables.{}.parent", name), fmt::format("a table `{}`", current));
    }
    std::optional<std::string_view> parent = TableView(table->as_object()).parent();
    if (!parent) {
      return;
    }
    current = *parent;
  }
  fail(fmt::format("tables.{}.parent", name), "a chain that ends at a root table");
}

void check_tables(const json::Object& document) {
  const json::Object& tables = object_at(document, "tables", "tables");
  for (const auto& [name, table] : tables) {
    check_table(table, name);
  }
  for (const auto& [name, table] : tables) {
    check_ancestors(tables, name);
  }
  object_at(tables, kVersionTable, fmt::format("tables.{}", kVersionTable));
  object_at(tables, kLoadsTable, fmt::format("tables.{}", kLoadsTable));
}

void check_default_hints(const json::Value& hints) {
  if (!hints.is_object()) {
    fail("settings.default_hints", "an object");
  }
  for (const auto& [hint, patterns] : hints.as_object()) {
    const std::string where = fmt::format("settings.default_hints.{}", hint);
    check_texts(patterns, where);
    for (const json::Value& pattern : patterns.as_array()) {
      check_simple_regex(pattern.as_string(), where);
    }
  }
}

void check_preferred_types(const json::Value& types) {
  if (!types.is_object()) {
    fail("settings.preferred_types", "an object");
  }
  for (const auto& [pattern, type] : types.as_object()) {
    check_data_type(type, fmt::format("settings.preferred_types.{}", pattern));
    check_simple_regex(pattern, "settings.preferred_types");
  }
}

void check_settings(const json::Object& document) {
  const json::Object& settings = object_at(document, "settings", "settings");
  if (const json::Value* hints = find_set(settings, "default_hints")) {
    check_default_hints(*hints);
  }
  if (const json::Value* types = find_set(settings, "preferred_types")) {
    check_preferred_types(*types);
  }
  if (const json::Value* detections = find_set(settings, "detections")) {
    check_texts(*detections, "settings.detections");
  }
}

void check_normalizers(const json::Object& document) {
  const json::Object& normalizers = object_at(document, "normalizers", "normalizers");
  check_optional_text(normalizers, "names", "normalizers");
  if (const json::Value* normalizer = find_set(normalizers, "json")) {
    if (!normalizer->is_object()) {
      fail("normalizers.json", "an object");
    }
    const json::Value* config = find_set(normalizer->as_object(), "config");
    if (config != nullptr && !config->is_object()) {
      fail("normalizers.json.config", "an object");
    }
  }
}

}  // namespace

bool is_schema_name(std::string_view name) {
  static const RE2 identifier(R"([\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]*)");
  const auto is_head = [](char byte) { return (static_cast<uint8_t>(byte) & 0xC0) != 0x80; };
  const auto length = std::count_if(name.begin(), name.end(), is_head);
  return static_cast<size_t>(length) <= kMaxNameLength &&
         RE2::FullMatch(re2::StringPiece(name.data(), name.size()), identifier);
}

void check_document(const json::Object& document) {
  const json::Value* name = document.find("name");
  if (name == nullptr || !name->is_string() || !is_schema_name(name->as_string())) {
    fail("name", "an identifier of at most 64 characters");
  }
  check_versions(document);
  check_tables(document);
  check_settings(document);
  check_normalizers(document);
}

}  // namespace tidemark::schema
