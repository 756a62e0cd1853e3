#include "tidemark/schema/schema.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "tidemark/base/error.h"
#include "tidemark/schema/check.h"
#include "tidemark/schema/content_hash.h"
#include "tidemark/schema/merge.h"
#include "tidemark/schema/migrate.h"
#include "tidemark/schema/simple_regex.h"

namespace tidemark::schema {
namespace {

constexpr size_t kMaxPreviousHashes = 10;

// A member of objects inside each other; nothing when one of them is missing.
const json::Value* find_path(const json::Object& object,
                             std::initializer_list<std::string_view> path) {
  const json::Object* current = &object;
  const json::Value* value = nullptr;
  for (std::string_view key : path) {
    if (current == nullptr) {
      return nullptr;
    }
    value = current->find(key);
    current = value != nullptr && value->is_object() ? &value->as_object() : nullptr;
  }
  return value;
}

// The object of that key; one of another kind, or none, becomes an empty one.
json::Object& object_or_new(json::Object& parent, std::string_view key) {
  json::Value& value = parent[key];
  if (!value.is_object()) {
    value = json::Object();
  }
  return value.as_object();
}

const json::Object& tables_of(const json::Object& document) {
  return document.find("tables")->as_object();
}

json::Object& tables_of(json::Object& document) { return document.find("tables")->as_object(); }

std::string_view text_at(const json::Object& document, std::string_view key) {
  const json::Value* value = document.find(key);
  return value != nullptr && value->is_string() ? std::string_view(value->as_string())
                                                : std::string_view();
}

void append_chain(const json::Object& tables, std::string_view name,
                  std::vector<std::string>& chain) {
  chain.emplace_back(name);
  for (const auto& [other_name, other] : tables) {
    if (TableView(other.as_object()).parent() == name) {
      append_chain(tables, other_name, chain);
    }
  }
}

// A partial table that can be stored: columns are there and named.
json::Object complete_partial(const json::Object& partial) {
  json::Object result = partial;
  json::Object& columns = object_or_new(result, "columns");
  for (auto& [name, column] : columns) {
    column.as_object().set("name", name);
  }
  return result;
}

void add_table_defaults(json::Object& table, std::string_view name) {
  if (TableView(table).parent()) {
    return;
  }
  for (const auto& [key, value] : {json::Object::Member{"write_disposition", "append"},
                                   json::Object::Member{"resource", name}}) {
    if (!table.contains(key)) {
      table.set(key, value);
    }
  }
}

void check_same_parent(const TableView& known, const TableView& partial) {
  if (known.parent() != partial.parent()) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("table `{}`: is known with the parent `{}`, not `{}`", known.name(),
                            known.parent().value_or(""), partial.parent().value_or("")));
  }
}

void merge_into(json::Object& document, const json::Object& partial, CompoundHints compound) {
  json::Object& tables = tables_of(document);
  json::Object table = complete_partial(partial);
  const TableView view(table);
  const std::string name(view.name());
  if (name.empty()) {
    throw Error(ErrorCode::kInvalid, "a partial table needs a name");
  }
  if (view.parent() && !tables.contains(*view.parent())) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("table `{}`: its parent `{}` is missing", name, *view.parent()));
  }
  if (json::Value* known = tables.find(name)) {
    check_same_parent(TableView(known->as_object()), view);
    merge_table(known->as_object(), table, compound);
    return;
  }
  add_table_defaults(table, name);
  tables.set(name, std::move(table));
}

struct DefaultHint {
  std::string_view hint;
  std::vector<std::string_view> columns;
};

// What dlt's relational normalizer wants of its own columns.
const std::array<DefaultHint, 5>& standard_hints() {
  static const std::array<DefaultHint, 5> hints = {{
      {"not_null", {kIdColumn, kRootIdColumn, kParentIdColumn, kListIndexColumn, kLoadIdColumn}},
      {"parent_key", {kParentIdColumn}},
      {"root_key", {kRootIdColumn}},
      {"unique", {kIdColumn}},
      {"row_key", {kIdColumn}},
  }};
  return hints;
}

std::string canonical_pattern(std::string_view pattern) {
  return pattern.starts_with("re:") ? std::string(pattern) : fmt::format("re:^{}$", pattern);
}

void add_pattern(json::Array& patterns, std::string_view pattern) {
  const bool is_known =
      std::any_of(patterns.begin(), patterns.end(), [&](const json::Value& known) {
        return canonical_pattern(known.as_string()) == canonical_pattern(pattern);
      });
  if (!is_known) {
    patterns.push_back(pattern);
  }
}

bool matches_any(const json::Value& patterns, std::string_view name) {
  const json::Array& list = patterns.as_array();
  return std::any_of(list.begin(), list.end(), [&](const json::Value& pattern) {
    return matches_simple_regex(pattern.as_string(), name);
  });
}

}  // namespace

Schema Schema::make(std::string_view name) {
  if (!is_schema_name(name)) {
    throw Error(
        ErrorCode::kInvalid,
        fmt::format("schema name `{}`: expected an identifier of at most 64 characters", name));
  }
  Schema schema(json::Object{
      {"version", 1},
      {"version_hash", nullptr},
      {"engine_version", kEngineVersion},
      {"name", name},
      {"tables", json::Object{{std::string(kVersionTable), version_table()},
                              {std::string(kLoadsTable), loads_table()}}},
      {"settings", json::Object{{"detections", json::Array{"iso_timestamp"}}}},
      {"normalizers", json::Object{{"names", "snake_case"},
                                   {"json", json::Object{{"module", kRelationalModule}}}}},
      {"previous_hashes", json::Array()},
  });
  schema.add_standard_hints();
  schema.bump();
  return schema;
}

Schema Schema::from_json(json::Object document, bool verify_hash) {
  const json::Value* engine = document.find("engine_version");
  const bool is_current =
      engine != nullptr && engine->is_number() && engine->as_number().to_int64() == kEngineVersion;
  Schema schema(std::move(document));
  if (verify_hash && is_current && schema.content_hash() != schema.version_hash()) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("schema `{}`: version_hash is not that of its content: the file was "
                            "changed by something else than a pipeline",
                            schema.name()));
  }
  try {
    migrate_document(schema.document_);
    check_document(schema.document_);
  } catch (Error& error) {
    error.add_context(fmt::format("schema `{}`", schema.name()));
    throw;
  }
  schema.bump();
  return schema;
}

std::string_view Schema::name() const { return text_at(document_, "name"); }

int64_t Schema::version() const { return document_.find("version")->as_int64(); }

std::string_view Schema::version_hash() const { return text_at(document_, "version_hash"); }

std::string_view Schema::naming_convention() const {
  const json::Value* names = find_path(document_, {"normalizers", "names"});
  return names != nullptr && names->is_string() ? std::string_view(names->as_string())
                                                : "snake_case";
}

std::optional<int> Schema::max_nesting() const {
  const json::Value* nesting =
      find_path(document_, {"normalizers", "json", "config", "max_nesting"});
  if (nesting == nullptr || !nesting->is_number()) {
    return std::nullopt;
  }
  std::optional<int64_t> number = nesting->as_number().to_int64();
  return number ? std::optional<int>(static_cast<int>(std::clamp<int64_t>(*number, 0, 1000)))
                : std::nullopt;
}

bool Schema::splits_names() const {
  const json::Value* setting = find_path(document_, {"normalizers", "use_break_path_on_normalize"});
  return setting == nullptr || !setting->is_bool() || setting->as_bool();
}

std::vector<std::string_view> Schema::table_names() const {
  std::vector<std::string_view> names;
  for (const auto& [name, table] : tables_of(document_)) {
    names.emplace_back(name);
  }
  return names;
}

std::optional<TableView> Schema::find_table(std::string_view name) const {
  const json::Value* table = tables_of(document_).find(name);
  return table == nullptr ? std::nullopt : std::optional<TableView>(table->as_object());
}

std::vector<std::string> Schema::table_chain(std::string_view root) const {
  std::vector<std::string> chain;
  const json::Object& tables = tables_of(document_);
  if (tables.contains(root)) {
    append_chain(tables, root, chain);
  }
  return chain;
}

std::string Schema::root_of(std::string_view table) const {
  std::optional<TableView> current = find_table(table);
  while (current && current->parent()) {
    table = *current->parent();
    current = find_table(table);
  }
  return std::string(table);
}

std::vector<std::string> Schema::data_root_tables() const {
  std::vector<std::string> names;
  for (const auto& [name, table] : tables_of(document_)) {
    if (!is_system_name(name) && !TableView(table.as_object()).parent()) {
      names.push_back(name);
    }
  }
  return names;
}

json::Object Schema::infer_column(std::string_view table, std::string_view name,
                                  DataType type) const {
  json::Object column = {{"name", name}, {"data_type", to_string(type)}, {"nullable", true}};
  const json::Value* hints = find_path(document_, {"settings", "default_hints"});
  if (hints != nullptr && hints->is_object()) {
    for (const auto& [hint, patterns] : hints->as_object()) {
      if (!matches_any(patterns, name)) {
        continue;
      }
      const bool is_not_null = hint == "not_null";
      column.set(is_not_null ? std::string_view("nullable") : std::string_view(hint), !is_not_null);
    }
  }
  const std::optional<TableView> known = find_table(table);
  const std::optional<ColumnView> incomplete = known ? known->find_column(name) : std::nullopt;
  if (incomplete && !incomplete->is_complete()) {
    for (const auto& [key, value] : incomplete->object()) {
      if (key != "data_type") {
        column.set(key, value);
      }
    }
  }
  return column;
}

json::Object Schema::infer_variant_column(std::string_view table, std::string_view name,
                                          DataType type) const {
  json::Object column = infer_column(table, name, type);
  column.set("variant", true);
  column.set("description", fmt::format("Variant of column {} generated by dlt", name));
  return column;
}

std::optional<DataType> Schema::preferred_type(std::string_view column) const {
  const json::Value* types = find_path(document_, {"settings", "preferred_types"});
  if (types == nullptr || !types->is_object()) {
    return std::nullopt;
  }
  for (const auto& [pattern, type] : types->as_object()) {
    if (matches_simple_regex(pattern, column)) {
      return data_type_from(type.as_string());
    }
  }
  return std::nullopt;
}

bool Schema::has_detection(std::string_view name) const {
  const json::Value* detections = find_path(document_, {"settings", "detections"});
  if (detections == nullptr || !detections->is_array() || detections->as_array().empty()) {
    detections = find_path(document_, {"normalizers", "detections"});
  }
  if (detections == nullptr || !detections->is_array()) {
    return false;
  }
  const json::Array& list = detections->as_array();
  return std::any_of(list.begin(), list.end(), [&](const json::Value& detection) {
    return detection.is_string() && detection.as_string() == name;
  });
}

void Schema::update_table(const json::Object& partial) {
  merge_into(document_, partial, CompoundHints::kAdd);
}

void Schema::apply_hints(const json::Object& partial) {
  merge_into(document_, partial, CompoundHints::kReplace);
}

void Schema::drop_table(std::string_view name) {
  json::Object& tables = tables_of(document_);
  const json::Value* propagation =
      find_path(document_, {"normalizers", "json", "config", "propagation", "tables"});
  const bool has_propagation = propagation != nullptr && propagation->is_object();
  for (const std::string& table : table_chain(name)) {
    tables.erase(table);
    if (has_propagation) {
      propagation_tables().erase(table);
    }
  }
}

void Schema::mark_seen_data(std::string_view table) {
  json::Value* known = tables_of(document_).find(table);
  if (known == nullptr) {
    return;
  }
  json::Object& normalizer = object_or_new(known->as_object(), "x-normalizer");
  normalizer.erase("evolve-columns-once");
  normalizer.set("seen-data", true);
}

json::Object& Schema::propagation_tables() {
  json::Object& normalizers = document_.find("normalizers")->as_object();
  json::Object& config = object_or_new(object_or_new(normalizers, "json"), "config");
  return object_or_new(object_or_new(config, "propagation"), "tables");
}

void Schema::set_root_key_propagation(std::string_view root) {
  const std::optional<TableView> table = find_table(root);
  const std::vector<std::string> keys =
      table ? table->columns_with("row_key") : std::vector<std::string>();
  object_or_new(propagation_tables(), root)
      .set(keys.empty() ? kIdColumn : std::string_view(keys.front()), kRootIdColumn);
}

bool Schema::has_root_key_propagation(std::string_view root) const {
  const json::Value* tables =
      find_path(document_, {"normalizers", "json", "config", "propagation", "tables"});
  return tables != nullptr && tables->find(root) != nullptr;
}

bool Schema::needs_root_key(std::string_view root) const {
  const std::optional<TableView> table = find_table(root);
  if (!table) {
    return false;
  }
  const json::Value* setting =
      find_path(document_, {"normalizers", "json", "config", "root_key_propagation"});
  const bool is_merged = table->write_disposition() == "merge" && table->merge_strategy() != "scd2";
  const bool is_wanted = setting != nullptr && setting->is_bool() ? setting->as_bool() : is_merged;
  if (is_wanted && !is_system_name(root)) {
    return true;
  }
  const std::vector<std::string> chain = table_chain(root);
  return std::any_of(chain.begin(), chain.end(), [&](const std::string& name) {
    return !find_table(name)->columns_with("root_key").empty();
  });
}

void Schema::add_standard_hints() {
  json::Object& settings = document_.find("settings")->as_object();
  json::Object& hints = object_or_new(settings, "default_hints");
  for (const DefaultHint& standard : standard_hints()) {
    json::Value& patterns = hints[standard.hint];
    if (patterns.is_null()) {
      patterns = json::Array();
    }
    for (std::string_view column : standard.columns) {
      add_pattern(patterns.as_array(), column);
    }
  }
}

bool Schema::bump() {
  const std::string old_hash(version_hash());
  std::string hash = content_hash();
  if (hash == old_hash) {
    return false;
  }
  document_.set("version_hash", std::move(hash));
  if (old_hash.empty()) {
    document_.set("version", std::max<int64_t>(version(), 1));
    return true;
  }
  document_.set("version", version() + 1);
  json::Array& previous = document_.find("previous_hashes")->as_array();
  if (std::find(previous.begin(), previous.end(), json::Value(old_hash)) == previous.end()) {
    previous.insert(previous.begin(), old_hash);
    previous.resize(std::min(previous.size(), kMaxPreviousHashes));
  }
  return true;
}

std::string Schema::content_hash() const { return schema::content_hash(document_); }

}  // namespace tidemark::schema
