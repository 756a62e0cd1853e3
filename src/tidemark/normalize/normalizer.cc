#include "tidemark/normalize/normalizer.h"

#include <deque>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/json/write.h"
#include "tidemark/normalize/row_ids.h"
#include "tidemark/normalize/table_plan.h"

namespace tidemark::normalize {

namespace {

constexpr int kDefaultNesting = 1000;
constexpr size_t kMaxTables = 500;  // each has a part file open

// How the _dlt_id of a root row is made (dlt 1.31): by merge strategy.
enum class RootId { kRandom, kKeyHash, kRowHash };

RootId root_id_of(const schema::TableView& table) {
  if (table.write_disposition() != "merge") return RootId::kRandom;
  const std::string_view strategy = table.merge_strategy().value_or("delete-insert");
  if (strategy == "upsert" || strategy == "insert-only" || strategy == "cdc") {
    return RootId::kKeyHash;
  }
  if (strategy != "scd2") return RootId::kRandom;
  const auto id = table.find_column(schema::kIdColumn);
  return id && id->has_hint("x-row-version") ? RootId::kRowHash : RootId::kRandom;
}

// Members of all objects in the value, at any depth.
uint64_t count_members(json::Node value) {
  if (!value.is_object() && !value.is_array()) return 0;
  uint64_t count = 0;
  const json::Node end = value.end();
  for (json::Node item = value.first(); !(item == end); item = item.next()) {
    if (value.is_object()) {
      ++count;
      item = item.next();  // behind the key
    }
    count += count_members(item);
  }
  return count;
}

}  // namespace

struct Normalizer::Impl {
  Impl(NormalizerOptions options_in, Random& random)
      : options(std::move(options_in)), ids(random) {}

  void begin(std::shared_ptr<const Snapshot> snapshot, Part& part);
  // False when a row has a key twice: the pass must be made again with resolving duplicates.
  bool read(const json::Page& page, const Filter& filter, bool resolves_duplicates);
  bool add_root(json::Node item);
  bool add_nested(TablePlan& table, json::Node item, std::string_view parent_id,
                  std::string_view root_id, uint64_t index);
  bool add_lists(size_t first_list, std::string_view parent_id, std::string_view root_id);
  bool flatten(TablePlan& table, ObjectPlan& plan, json::Node object);
  void set_member(TablePlan& table, ObjectPlan& plan, Entry& entry, json::Node value);
  bool set_row(TablePlan& table, json::Node item);
  TablePlan& list_table(TablePlan& table, ObjectPlan& plan, Entry& entry);
  bool is_taken(const std::string& name, const std::string& path, const TablePlan& parent) const;
  void make_root_id(json::Node item, std::string& id);
  std::string key_hash_text() const;
  void finish();

  struct PendingObject {
    ObjectPlan* plan;
    json::Node node;
  };
  struct PendingList {
    TablePlan* table;
    json::Node node;
  };

  NormalizerOptions options;
  RowIds ids;
  json::Parser parser;
  PlanContext context;
  std::deque<TablePlan> tables;
  std::unordered_map<std::string, TablePlan*> tables_by_name;
  size_t new_tables = 0;  // of them, those that the snapshot does not have
  TablePlan* root = nullptr;
  RootId root_id_kind = RootId::kRandom;
  bool has_root_key = false;
  std::vector<std::string> key_columns;
  std::vector<std::pair<std::string, json::Node>> key_values;  // of the row at hand

  std::vector<PendingObject> objects;
  std::vector<PendingList> lists;
  uint64_t serial = 0;
  std::string given_id;  // _dlt_id in the row at hand
};

Normalizer::Normalizer(NormalizerOptions options, Random& random)
    : impl_(std::make_unique<Impl>(std::move(options), random)) {
  impl_->context.naming = impl_->options.naming;
  impl_->context.detections = impl_->options.detections;
}

Normalizer::~Normalizer() = default;

void Normalizer::run(std::shared_ptr<const Snapshot> snapshot, const json::Page& page,
                     const std::function<Filter()>& make_filter, Part& part) {
  impl_->begin(snapshot, part);
  if (!impl_->read(page, make_filter(), false)) {
    // What the first pass inferred may come from a value that a later duplicate replaces.
    impl_->context.snapshot.reset();
    impl_->begin(std::move(snapshot), part);
    impl_->read(page, make_filter(), true);
  }
  impl_->finish();
}

void Normalizer::Impl::begin(std::shared_ptr<const Snapshot> snapshot, Part& part) {
  part.clear();
  context.part = &part;
  if (context.snapshot == snapshot) return;
  context.snapshot = std::move(snapshot);
  tables.clear();
  tables_by_name.clear();
  new_tables = 0;
  const schema::Schema& schema = context.snapshot->schema;
  const auto table = schema.find_table(options.table);
  if (!table) {
    throw Error(ErrorCode::kInternal,
                fmt::format("table {} is not in schema {}", options.table, schema.name()));
  }
  root_id_kind = root_id_of(*table);
  key_columns = table->columns_with("primary_key");
  has_root_key = schema.needs_root_key(options.table);
  const int nesting = table->max_nesting().value_or(schema.max_nesting().value_or(kDefaultNesting));
  root = &tables.emplace_back(context, options.table, std::vector<std::string>{options.table},
                              nullptr, nesting);
  tables_by_name.emplace(options.table, root);
}

bool Normalizer::Impl::read(const json::Page& page, const Filter& filter,
                            bool resolves_duplicates) {
  json::RowReader reader(page, parser);
  while (const auto row = reader.next()) {
    ++context.part->rows_read;
    if (filter && !filter(*row)) continue;
    ++context.part->rows_kept;
    if (!resolves_duplicates) {
      if (!add_root(*row)) return false;
      continue;
    }
    json::DocumentBuilder builder;
    builder.value(json::to_value(*row));
    const auto document = builder.finish();
    context.part->counts.duplicate_keys += count_members(*row) - count_members(document->root());
    add_root(document->root());
  }
  return true;
}

bool Normalizer::Impl::add_root(json::Node item) {
  const size_t first_list = lists.size();
  key_values.clear();
  if (!set_row(*root, item)) return false;
  root->append_text(root->load_id, schema::kLoadIdColumn, options.load_id);
  std::string id;
  make_root_id(item, id);
  root->append_text(root->id, schema::kIdColumn, id);
  root->end_row();
  return add_lists(first_list, id, id);
}

bool Normalizer::Impl::add_nested(TablePlan& table, json::Node item, std::string_view parent_id,
                                  std::string_view root_id, uint64_t index) {
  const size_t first_list = lists.size();
  if (!set_row(table, item)) return false;
  if (has_root_key) table.append_text(table.root_id, schema::kRootIdColumn, root_id);
  table.append_text(table.parent_id, schema::kParentIdColumn, parent_id);
  table.append_int64(table.list_index, schema::kListIndexColumn, static_cast<int64_t>(index));
  std::string id;
  if (given_id.empty()) {
    ids.nested_id(parent_id, table.name(), index, id);
  } else {
    id = given_id;
  }
  table.append_text(table.id, schema::kIdColumn, id);
  table.end_row();
  return add_lists(first_list, id, root_id);
}

bool Normalizer::Impl::add_lists(size_t first_list, std::string_view parent_id,
                                 std::string_view root_id) {
  const size_t end_list = lists.size();
  for (size_t i = first_list; i < end_list; ++i) {
    const PendingList list = lists[i];
    uint64_t index = 0;
    for (json::Node item = list.node.first(); !(item == list.node.end()); item = item.next()) {
      if (!add_nested(*list.table, item, parent_id, root_id, index++)) return false;
    }
  }
  lists.resize(first_list);
  return true;
}

// What is no object, or is to stay whole, becomes a row of one column.
bool Normalizer::Impl::set_row(TablePlan& table, json::Node item) {
  given_id.clear();
  const bool stays_whole = options.as_json && &table == root;
  if (item.is_object() && !stays_whole) return flatten(table, table.root(), item);
  const bool is_list_in_list = item.is_array() && table.parent() != nullptr;
  ObjectPlan& plan = is_list_in_list ? table.list_wrapper() : table.root();
  size_t expected = 0;
  Entry& entry = table.entry(plan, is_list_in_list ? "list" : "value", expected);
  entry.is_json = entry.is_json || stays_whole;
  set_member(table, plan, entry, item);
  return true;
}

// Objects inside an object come after all its other members, the last one first, as in dlt: the
// order of columns depends on it.
bool Normalizer::Impl::flatten(TablePlan& table, ObjectPlan& top, json::Node object) {
  const size_t base = objects.size();
  objects.push_back({&top, object});
  while (objects.size() > base) {
    const PendingObject current = objects.back();
    objects.pop_back();
    ++serial;
    size_t expected = 0;
    const json::Node end = current.node.end();
    for (json::Node key = current.node.first(); !(key == end);) {
      const json::Node value = key.next();
      Entry& entry = table.entry(*current.plan, key.string(), expected);
      if (entry.last_object == serial) {
        objects.resize(base);
        return false;
      }
      entry.last_object = serial;
      set_member(table, *current.plan, entry, value);
      key = value.next();
    }
  }
  return true;
}

void Normalizer::Impl::set_member(TablePlan& table, ObjectPlan& plan, Entry& entry,
                                  json::Node value) {
  switch (value.kind()) {
    case json::Kind::kNull:
      entry.has_seen_null = true;
      return;
    case json::Kind::kObject:
      if (entry.is_json) break;
      objects.push_back({&table.object_plan(plan, entry), value});
      return;
    case json::Kind::kArray:
      if (entry.is_json) break;
      if (!value.is_empty()) lists.push_back({&list_table(table, plan, entry), value});
      return;
    default:
      break;
  }
  if (entry.is_row_id) {
    given_id.clear();
    if (value.is_string()) {
      given_id = value.string();
    } else {
      json::append_orjson(given_id, value, false);
    }
    return;
  }
  if (&table == root && root_id_kind == RootId::kKeyHash)
    key_values.emplace_back(entry.name, value);
  table.append(entry, value);
}

TablePlan& Normalizer::Impl::list_table(TablePlan& table, ObjectPlan& plan, Entry& entry) {
  if (entry.list != nullptr) return *entry.list;
  std::vector<std::string> fragments = table.fragments();
  fragments.insert(fragments.end(), plan.fragments.begin(), plan.fragments.end());
  fragments.push_back(entry.fragment);
  std::string name = context.naming->shorten_fragments(fragments);

  const std::string path = table.name() + entry.path;
  std::string source_path;
  if (is_taken(name, path, table)) {
    name = schema::collision_name(*context.naming, name, path);
    source_path = path;
    if (!context.snapshot->schema.find_table(name)) {
      context.part->counts.renamed_tables[name] = path;
    }
  } else if (context.snapshot->owner("", name) == nullptr) {
    context.part->claims.push_back({"", name, path});
  }
  const schema::Schema& schema = context.snapshot->schema;
  if (!schema.find_table(name) &&
      schema.table_chain(options.table).size() + new_tables++ >= kMaxTables) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("table {} would get more than {} nested tables: keys of its rows look "
                            "like data. {}",
                            options.table, kMaxTables, kWaysOut));
  }
  entry.list = &tables.emplace_back(context, name, std::move(fragments), &table, plan.level - 1,
                                    std::move(source_path));
  tables_by_name.emplace(std::move(name), entry.list);
  return *entry.list;
}

// Whether a table of that name belongs to another path: in this run, or since a run that stored it
// under another parent, or that stored the path of a renamed one.
bool Normalizer::Impl::is_taken(const std::string& name, const std::string& path,
                                const TablePlan& parent) const {
  if (const std::string* owner = context.snapshot->owner("", name)) return *owner != path;
  if (tables_by_name.contains(name)) return true;
  const auto known = context.snapshot->schema.find_table(name);
  if (known && known->parent() && *known->parent() != parent.name()) return true;
  const auto renamed =
      context.snapshot->schema.find_table(schema::collision_name(*context.naming, name, path));
  const json::Value* stored = renamed ? renamed->object().find(schema::kSourcePathHint) : nullptr;
  return stored != nullptr && stored->is_string() && stored->as_string() == path;
}

void Normalizer::Impl::make_root_id(json::Node item, std::string& id) {
  if (!given_id.empty()) {
    id = given_id;
  } else if (root_id_kind == RootId::kRandom) {
    ids.random_id(id);
  } else if (root_id_kind == RootId::kRowHash) {
    ids.text_id(row_hash_text(item), id);
  } else {
    ids.text_id(key_hash_text(), id);
  }
}

std::string Normalizer::Impl::key_hash_text() const {
  std::map<std::string_view, json::Node> keys;
  for (const auto& [name, value] : key_values) keys[name] = value;
  std::map<std::string_view, json::Node> members;
  for (const std::string& column : key_columns) {
    const auto value = keys.find(column);
    if (value == keys.end()) {
      throw Error(ErrorCode::kInvalid,
                  fmt::format("a row of table {} has no value for its primary key {}",
                              options.table, column));
    }
    members.insert(*value);
  }
  return hash_text(members);
}

void Normalizer::Impl::finish() {
  for (TablePlan& table : tables) table.finish();
}

}  // namespace tidemark::normalize
