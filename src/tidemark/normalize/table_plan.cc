#include "tidemark/normalize/table_plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "tidemark/base/datetime.h"
#include "tidemark/base/error.h"
#include "tidemark/columns/chunk.h"
#include "tidemark/schema/decimal.h"
#include "tidemark/schema/unicode.h"

namespace tidemark::normalize {

namespace {

using columns::Layout;
using schema::DataType;

// Keys that are data make a column each; no table that people query is this wide.
constexpr size_t kMaxColumns = 10'000;
constexpr char kMarkerByte = '\xEF';  // first byte of a typed marker (json/typed.h)

Layout layout_of(DataType type) {
  switch (type) {
    case DataType::kText:
    case DataType::kBinary:
    case DataType::kJson:
      return Layout::kBytes;
    case DataType::kDouble:
      return Layout::kDouble;
    case DataType::kBool:
      return Layout::kBool;
    case DataType::kTimestamp:
    case DataType::kBigint:
    case DataType::kTime:
      return Layout::kInt64;
    case DataType::kDate:
      return Layout::kInt32;
    case DataType::kDecimal:
    case DataType::kWei:
      return Layout::kInt128;
  }
  return Layout::kBytes;
}

int scale_of(const schema::ColumnView& column) {
  if (column.data_type() != DataType::kDecimal) return 0;
  return column.scale().value_or(schema::kDecimalScale);
}

std::string normalized_key(const schema::Naming& naming, std::string_view key) {
  return schema::strip(key).empty() ? "_empty" : naming.normalize_name(key);
}

std::string pointer_to(const std::string& path, std::string_view key) {
  std::string result = path + '/';
  for (const char c : key) {
    if (c == '~') {
      result += "~0";
    } else if (c == '/') {
      result += "~1";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

TablePlan::TablePlan(PlanContext& context, std::string name, std::vector<std::string> fragments,
                     TablePlan* parent, int level, std::string source_path)
    : context_(context),
      name_(std::move(name)),
      fragments_(std::move(fragments)),
      parent_(parent),
      source_path_(std::move(source_path)),
      known_(context.snapshot->schema.find_table(name_)) {
  root_.level = level;
  if (!known_) return;
  for (const schema::ColumnView& column : known_->columns()) {
    ++known_columns_;
    const json::Value* path = column.object().find(schema::kSourcePathHint);
    if (path != nullptr && path->is_string()) renamed_.emplace(path->as_string(), column.name());
  }
}

Entry& TablePlan::find_or_add(ObjectPlan& plan, std::string_view key, size_t& expected) {
  if (const auto found = plan.by_key.find(key); found != plan.by_key.end()) {
    expected = found->second + 1;
    return plan.entries[found->second];
  }
  Entry& entry = plan.entries.emplace_back();
  entry.key = key;
  entry.fragment = normalized_key(*context_.naming, key);
  entry.path = pointer_to(plan.path, key);
  std::vector<std::string> fragments = plan.fragments;
  fragments.push_back(entry.fragment);
  entry.name = context_.naming->shorten_fragments(fragments);
  classify(plan, entry);
  expected = plan.entries.size();
  plan.by_key.emplace(entry.key, expected - 1);
  return entry;
}

void TablePlan::classify(const ObjectPlan& plan, Entry& entry) const {
  const auto column = known_ ? known_->find_column(entry.name) : std::nullopt;
  if (column && column->is_complete()) {
    entry.is_json = column->data_type() == DataType::kJson;
  } else {
    entry.is_json = context_.snapshot->schema.preferred_type(entry.name) == DataType::kJson;
  }
  entry.is_json = entry.is_json || plan.level <= 0;
  entry.is_row_id = entry.name == schema::kIdColumn;
  if (parent_ == nullptr) {
    entry.is_reserved = entry.name == schema::kLoadIdColumn;
  } else {
    entry.is_reserved = entry.name == schema::kParentIdColumn ||
                        entry.name == schema::kListIndexColumn ||
                        entry.name == schema::kRootIdColumn;
  }
}

ObjectPlan& TablePlan::list_wrapper() {
  if (list_wrapper_ == nullptr) {
    list_wrapper_ = std::make_unique<ObjectPlan>();
    list_wrapper_->level = root_.level - 1;
  }
  return *list_wrapper_;
}

ObjectPlan& TablePlan::object_plan(ObjectPlan& plan, Entry& entry) {
  if (entry.object == nullptr) {
    entry.object = std::make_unique<ObjectPlan>();
    entry.object->fragments = plan.fragments;
    entry.object->fragments.push_back(entry.fragment);
    entry.object->path = entry.path;
    entry.object->level = plan.level - 1;
  }
  return *entry.object;
}

void TablePlan::append(Entry& entry, json::Node value) {
  if (entry.is_reserved) {
    ++context_.part->counts.dropped_values[{name_, entry.name}];
    return;
  }
  if (entry.slot == nullptr) entry.slot = open_slot(entry, value);
  if (!append_fast(*entry.slot, value)) append_slow(entry, value);
}

bool TablePlan::append_fast(Slot& slot, json::Node value) const {
  slot.builder.pad(rows_);
  switch (slot.type) {
    case DataType::kText: {
      if (!value.is_string()) return false;
      const std::string_view text = value.string();
      if (!text.empty() && text.front() == kMarkerByte) return false;
      slot.builder.append_bytes(text);
      return true;
    }
    case DataType::kBigint:
      if (value.kind() != json::Kind::kInt64) return false;
      slot.builder.append_int64(value.int64());
      return true;
    case DataType::kDouble:
      if (value.kind() != json::Kind::kDouble) return false;
      slot.builder.append_double(value.number());
      return true;
    case DataType::kBool:
      if (value.kind() != json::Kind::kTrue && value.kind() != json::Kind::kFalse) return false;
      slot.builder.append_bool(value.kind() == json::Kind::kTrue);
      return true;
    case DataType::kTimestamp: {
      if (!value.is_string()) return false;
      const auto time = parse_iso_datetime(value.string());
      if (!time) return false;
      slot.builder.append_int64(time->utc_micros());
      return true;
    }
    default:
      return false;
  }
}

void TablePlan::append_slow(Entry& entry, json::Node value) {
  const bool is_rounded = entry.slot->type == DataType::kDouble &&
                          !context_.detections.wei_to_double && schema::is_rounded_by_double(value);
  if (const auto scalar = schema::coerce(value, entry.slot->type);
      !is_rounded && scalar && append_scalar(*entry.slot, *scalar)) {
    note_number_as_text(*entry.slot, value);
    return;
  }
  Slot* variant = open_variant(entry, value);
  variant->builder.pad(rows_);
  const auto scalar = schema::coerce(value, variant->type);
  if (!scalar || !append_scalar(*variant, *scalar)) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("column {} of table {} holds {}, and its variant column {} holds {}: "
                            "neither takes the value {}",
                            entry.slot->info.name, name_, entry.slot->info.type, variant->info.name,
                            variant->info.type, schema::to_string(schema::own_type(value))));
  }
  ++context_.part->counts.variant_values[{name_, variant->info.name}];
  note_number_as_text(*variant, value);
}

void TablePlan::note_number_as_text(const Slot& slot, json::Node value) {
  if (slot.type == DataType::kText && value.kind() == json::Kind::kBigNumber) {
    ++context_.part->counts.numbers_as_text[{name_, slot.info.name}];
  }
}

bool TablePlan::append_scalar(Slot& slot, const schema::Scalar& scalar) {
  switch (slot.info.layout) {
    case Layout::kBytes:
      slot.builder.append_bytes(std::get<std::string>(scalar.value));
      return true;
    case Layout::kInt32:
      slot.builder.append_int32(static_cast<int32_t>(std::get<int64_t>(scalar.value)));
      return true;
    case Layout::kInt64:
      slot.builder.append_int64(std::get<int64_t>(scalar.value));
      return true;
    case Layout::kDouble:
      slot.builder.append_double(std::get<double>(scalar.value));
      return true;
    case Layout::kBool:
      slot.builder.append_bool(std::get<bool>(scalar.value));
      return true;
    case Layout::kInt128: {
      const auto& decimal = std::get<schema::Decimal>(scalar.value);
      const auto unscaled = schema::rescale(decimal, slot.info.scale);
      if (!unscaled) return false;
      const auto back = schema::rescale({*unscaled, slot.info.scale}, decimal.scale);
      if (back != decimal.unscaled) {
        ++context_.part->counts.rounded_decimals[{name_, slot.info.name}];
      }
      slot.builder.append_int128(*unscaled);
      return true;
    }
  }
  return false;
}

void TablePlan::append_text(Slot*& slot, std::string_view name, std::string_view value) {
  own_column(slot, name, DataType::kText).append_bytes(value);
}

void TablePlan::append_int64(Slot*& slot, std::string_view name, int64_t value) {
  own_column(slot, name, DataType::kBigint).append_int64(value);
}

columns::ColumnBuilder& TablePlan::own_column(Slot*& slot, std::string_view name, DataType type) {
  if (slot == nullptr) slot = known_slot(std::string(name));
  if (slot == nullptr) {
    add_change(context_.snapshot->schema.infer_column(name_, name, type));
    slot = add_slot(std::string(name), type, 0);
  }
  slot->builder.pad(rows_);
  return slot->builder;
}

Slot* TablePlan::open_slot(Entry& entry, json::Node value) {
  entry.name = claim_name(std::move(entry.name), entry.path);
  if (Slot* known = known_slot(entry.name)) return known;
  const schema::Schema& schema = context_.snapshot->schema;
  const DataType type = entry.is_json && (value.is_object() || value.is_array())
                            ? DataType::kJson
                            : schema.preferred_type(entry.name)
                                  .value_or(schema::infer_type(value, context_.detections));
  json::Object column = schema.infer_column(name_, entry.name, type);
  mark_renamed(entry.name, entry.path, column);
  const int scale = scale_of(schema::ColumnView(column));
  add_change(std::move(column));
  return add_slot(entry.name, type, scale);
}

Slot* TablePlan::open_variant(Entry& entry, json::Node value) {
  const std::string_view own = schema::to_string(schema::own_type(value));
  for (const auto& [type, slot] : entry.variants) {
    if (type == own) return slot;
  }
  const std::string path = fmt::format("{}#{}", entry.path, own);
  const std::string name = claim_name(context_.naming->shorten_fragments(std::vector<std::string>{
                                          entry.name, fmt::format("v_{}", own)}),
                                      path);
  Slot* slot = known_slot(name);
  if (slot == nullptr) {
    const DataType type = schema::infer_type(value, context_.detections);
    json::Object column = context_.snapshot->schema.infer_variant_column(name_, name, type);
    mark_renamed(name, path, column);
    const int scale = scale_of(schema::ColumnView(column));
    add_change(std::move(column));
    slot = add_slot(name, type, scale);
  }
  entry.variants.emplace_back(own, slot);
  return slot;
}

// The name of the column for a path: the one it has claimed in this run or in an earlier one, the
// plain one when it is free, else one with a tag of the path.
std::string TablePlan::claim_name(std::string name, const std::string& path) {
  if (const auto renamed = renamed_.find(path); renamed != renamed_.end()) return renamed->second;
  const std::string* owner = owner_of(name);
  if (owner == nullptr) {
    claimed_.emplace(name, path);
    context_.part->claims.push_back({name_, name, path});
    return name;
  }
  if (*owner == path) return name;
  name = schema::collision_name(*context_.naming, name, path);
  context_.part->counts.renamed_columns[{name_, name}] = path;
  return name;
}

const std::string* TablePlan::owner_of(const std::string& name) const {
  if (const std::string* owner = context_.snapshot->owner(name_, name)) return owner;
  const auto claimed = claimed_.find(name);
  return claimed == claimed_.end() ? nullptr : &claimed->second;
}

// Later runs find the column by its path again, whatever comes first in their rows.
void TablePlan::mark_renamed(const std::string& name, const std::string& path,
                             json::Object& column) const {
  if (context_.part->counts.renamed_columns.contains({name_, name})) {
    column.set(schema::kSourcePathHint, path);
  }
}

// The slot of a column that the table has already, in this part or in the snapshot.
Slot* TablePlan::known_slot(const std::string& name) {
  if (const auto slot = slots_by_name_.find(name); slot != slots_by_name_.end()) {
    return slot->second;
  }
  const auto column = known_ ? known_->find_column(name) : std::nullopt;
  if (!column || !column->is_complete()) return nullptr;
  return add_slot(name, *column->data_type(), scale_of(*column));
}

Slot* TablePlan::add_slot(const std::string& name, DataType type, int scale) {
  Slot& slot = slots_.emplace_back();
  slot.info = {name, std::string(schema::to_string(type)), layout_of(type), scale};
  slot.type = type;
  slot.builder = columns::ColumnBuilder(slot.info.layout);
  slots_by_name_.emplace(name, &slot);
  return &slot;
}

void TablePlan::add_change(json::Object column) {
  if (!change_) {
    json::Object partial;
    partial.set("name", name_);
    partial.set("columns", json::Object());
    if (parent_ != nullptr) partial.set("parent", parent_->name());
    if (!source_path_.empty()) partial.set(schema::kSourcePathHint, source_path_);
    change_ = context_.part->changes.size();
    context_.part->changes.push_back(std::move(partial));
  }
  json::Object& columns = context_.part->changes[*change_].find("columns")->as_object();
  const std::string name = column.find("name")->as_string();
  columns.set(name, std::move(column));
  if (known_columns_ + columns.size() > kMaxColumns) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("table {} would get more than {} columns: keys of its rows look like "
                            "data. {}",
                            name_, kMaxColumns, kWaysOut));
  }
}

void TablePlan::finish() {
  change_.reset();
  note_null_columns(root_);
  if (rows_ == 0) return;
  for (Slot& slot : slots_) slot.builder.pad(rows_);
  check_required();

  Part::Table& table = context_.part->tables.emplace_back();
  table.name = name_;
  table.rows = rows_;
  columns::Chunk chunk;
  chunk.rows = rows_;
  for (const Slot& slot : slots_) {
    chunk.infos.push_back(slot.info);
    chunk.views.push_back(slot.builder.view());
  }
  columns::encode_chunk(chunk, table.encoded);
  table.infos = std::move(chunk.infos);
  for (Slot& slot : slots_) slot.builder.clear();
  rows_ = 0;
}

void TablePlan::check_required() const {
  if (!known_) return;
  for (const schema::ColumnView& column : known_->columns()) {
    if (column.is_nullable()) continue;
    const auto slot = slots_by_name_.find(std::string(column.name()));
    const bool is_missing = slot == slots_by_name_.end();
    const columns::ColumnView values =
        is_missing ? columns::ColumnView() : slot->second->builder.view();
    if (!is_missing && values.validity == nullptr) continue;
    for (size_t row = 0; row < rows_; ++row) {
      if (!is_missing && values.is_valid(row)) continue;
      throw Error(ErrorCode::kInvalid,
                  fmt::format("row {} of table {} has no value for {}, which may not be null{}",
                              row + 1, name_, column.name(),
                              column.has_hint("primary_key") ? ": it is a primary key" : ""));
    }
  }
}

void TablePlan::note_null_columns(const ObjectPlan& plan) {
  for (const Entry& entry : plan.entries) {
    const bool has_data = entry.slot != nullptr || entry.object != nullptr || entry.list != nullptr;
    if (entry.has_seen_null && !has_data) {
      ++context_.part->counts.null_only_columns[{name_, entry.name}];
    }
    if (entry.object != nullptr) note_null_columns(*entry.object);
  }
}

}  // namespace tidemark::normalize
