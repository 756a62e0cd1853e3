#include "tidemark/normalize/schema_merger.h"

#include <utility>

namespace tidemark::normalize {

namespace {

std::string_view text_of(const json::Object& object, std::string_view key) {
  const json::Value* value = object.find(key);
  return value != nullptr && value->is_string() ? std::string_view(value->as_string()) : "";
}

bool changes_type(const schema::Schema& schema, const json::Object& partial) {
  const auto table = schema.find_table(text_of(partial, "name"));
  if (!table) return false;
  if (const auto parent = table->parent();
      parent && partial.contains("parent") && *parent != text_of(partial, "parent")) {
    return true;
  }
  const json::Value* columns = partial.find("columns");
  if (columns == nullptr) return false;
  for (const auto& [name, column] : columns->as_object()) {
    const auto known = table->find_column(name);
    if (!known || !known->is_complete()) continue;
    if (known->data_type() != schema::ColumnView(column.as_object()).data_type()) return true;
  }
  return false;
}

// Columns that an earlier part has added meanwhile stay as they are: adding them again would move
// nothing but could overwrite hints.
json::Object only_new(const schema::Schema& schema, const json::Object& partial) {
  const auto table = schema.find_table(text_of(partial, "name"));
  json::Object result = partial;
  if (!table) return result;
  json::Object columns;
  for (const auto& [name, column] : partial.find("columns")->as_object()) {
    const auto known = table->find_column(name);
    if (!known || !known->is_complete()) columns.set(name, column);
  }
  result.set("columns", std::move(columns));
  return result;
}

}  // namespace

const std::string* Snapshot::owner(std::string_view table, std::string_view name) const {
  const auto names = owners.find(table);
  if (names == owners.end()) return nullptr;
  const auto path = names->second.find(name);
  return path == names->second.end() ? nullptr : &path->second;
}

SchemaMerger::SchemaMerger(schema::Schema schema)
    : snapshot_(std::make_shared<const Snapshot>(Snapshot{std::move(schema), {}})) {}

std::shared_ptr<const Snapshot> SchemaMerger::snapshot() const {
  const std::lock_guard lock(mutex_);
  return snapshot_;
}

void SchemaMerger::claim(const Claim& claim) {
  const std::lock_guard lock(mutex_);
  auto next = std::make_shared<Snapshot>(*snapshot_);
  next->owners[claim.table][claim.name] = claim.path;
  snapshot_ = std::move(next);
}

bool SchemaMerger::merge(const Part& part) {
  const std::lock_guard lock(mutex_);
  bool adds = false;
  for (const Claim& claim : part.claims) {
    const std::string* owner = snapshot_->owner(claim.table, claim.name);
    if (owner != nullptr && *owner != claim.path) return false;
    adds = adds || owner == nullptr;
  }
  for (const json::Object& partial : part.changes) {
    if (changes_type(snapshot_->schema, partial)) return false;
    adds = adds || !only_new(snapshot_->schema, partial).find("columns")->as_object().empty();
  }
  // The same snapshot object lets everybody go on with what they have found out under it.
  if (!adds) return true;
  auto next = std::make_shared<Snapshot>(*snapshot_);
  for (const Claim& claim : part.claims) next->owners[claim.table][claim.name] = claim.path;
  for (const json::Object& partial : part.changes) {
    next->schema.update_table(only_new(next->schema, partial));
  }
  snapshot_ = std::move(next);
  return true;
}

void SchemaMerger::apply_hints(const json::Object& partial) {
  const std::lock_guard lock(mutex_);
  auto next = std::make_shared<Snapshot>(*snapshot_);
  const std::string table(text_of(partial, "name"));
  next->schema.apply_hints(partial);
  if (next->schema.needs_root_key(table)) next->schema.set_root_key_propagation(table);
  if (next->schema != snapshot_->schema) snapshot_ = std::move(next);
}

}  // namespace tidemark::normalize
