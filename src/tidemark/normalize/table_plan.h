#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tidemark/columns/builder.h"
#include "tidemark/normalize/part.h"
#include "tidemark/normalize/schema_merger.h"
#include "tidemark/schema/coerce.h"
#include "tidemark/schema/naming.h"

// How the rows of one table become columns: what each key of a row was found to mean, kept from row
// to row and page to page, so that a row costs comparisons of keys and appends, not look-ups of
// names. Internal to the module.
namespace tidemark::normalize {

// A column that grows.
struct Slot {
  columns::ColumnInfo info;
  schema::DataType type = schema::DataType::kText;
  columns::ColumnBuilder builder{columns::Layout::kBytes};
};

// What to do about rows whose keys are data.
inline constexpr std::string_view kWaysOut =
    "Set max_table_nesting of the resource, declare the column above them with data_type json, or, "
    "when they are keys of the rows themselves, keep the rows whole in one JSON column: as_json in "
    "the project file, --as-json of ingest";

class TablePlan;
struct ObjectPlan;

// What a key at one place of the rows means. A key may carry a scalar in one row, an object in the
// next.
struct Entry {
  std::string key;           // as in the source
  std::string fragment;      // normalized
  std::string path;          // JSON pointer from the row
  std::string name;          // of the column: fragments joined and shortened
  uint64_t last_object = 0;  // serial of the object that had the key last: finds duplicate keys
  bool is_json = false;      // objects and lists stay whole, as a json column
  bool is_row_id = false;    // _dlt_id given by the source
  bool is_reserved = false;  // dlt's own columns, written by us
  bool has_seen_null = false;
  Slot* slot = nullptr;
  std::vector<std::pair<std::string, Slot*>> variants;  // by the type in their name
  std::unique_ptr<ObjectPlan> object;
  TablePlan* list = nullptr;
};

// The keys of the objects at one place of the rows, in the order in which they were first seen.
struct ObjectPlan {
  std::vector<std::string> fragments;  // of the flattened objects above
  std::string path;
  int level = 0;  // how many levels of objects and lists may still be taken apart
  std::deque<Entry> entries;
  std::unordered_map<std::string_view, size_t> by_key;
};

// What all tables of a resource share while one snapshot lasts.
struct PlanContext {
  std::shared_ptr<const Snapshot> snapshot;
  std::shared_ptr<const schema::Naming> naming;
  schema::Detections detections;
  Part* part = nullptr;
};

class TablePlan {
 public:
  // fragments are the normalized pieces of the table's name. source_path is set when the name is
  // not the one they make.
  TablePlan(PlanContext& context, std::string name, std::vector<std::string> fragments,
            TablePlan* parent, int level, std::string source_path = {});

  const std::string& name() const { return name_; }
  TablePlan* parent() const { return parent_; }
  const std::vector<std::string>& fragments() const { return fragments_; }
  ObjectPlan& root() { return root_; }
  // Of a list that is an element of this table's list: one level deeper than a member, as in dlt.
  ObjectPlan& list_wrapper();
  void end_row() { ++rows_; }

  // The entry of key; expected is where it stood in the object before, and is moved on.
  Entry& entry(ObjectPlan& plan, std::string_view key, size_t& expected) {
    if (expected < plan.entries.size() && plan.entries[expected].key == key) {
      return plan.entries[expected++];
    }
    return find_or_add(plan, key, expected);
  }
  ObjectPlan& object_plan(ObjectPlan& plan, Entry& entry);

  // Appends a value to its column, makes the column when it is the first one.
  void append(Entry& entry, json::Node value);
  // A column that dlt adds: made at its first row like every other.
  void append_text(Slot*& slot, std::string_view name, std::string_view value);
  void append_int64(Slot*& slot, std::string_view name, int64_t value);

  Slot* id = nullptr;
  Slot* load_id = nullptr;
  Slot* root_id = nullptr;
  Slot* parent_id = nullptr;
  Slot* list_index = nullptr;

  // Moves the rows into part.tables and is empty again. Error kInvalid when a row lacks a column
  // that may not be null.
  void finish();

 private:
  Entry& find_or_add(ObjectPlan& plan, std::string_view key, size_t& expected);
  void classify(const ObjectPlan& plan, Entry& entry) const;
  std::string claim_name(std::string name, const std::string& path);
  const std::string* owner_of(const std::string& name) const;
  void mark_renamed(const std::string& name, const std::string& path, json::Object& column) const;
  Slot* open_slot(Entry& entry, json::Node value);
  Slot* open_variant(Entry& entry, json::Node value);
  columns::ColumnBuilder& own_column(Slot*& slot, std::string_view name, schema::DataType type);
  Slot* known_slot(const std::string& name);
  Slot* add_slot(const std::string& name, schema::DataType type, int scale);
  void add_change(json::Object column);
  bool append_fast(Slot& slot, json::Node value) const;
  bool append_scalar(Slot& slot, const schema::Scalar& scalar);
  void append_slow(Entry& entry, json::Node value);
  void note_number_as_text(const Slot& slot, json::Node value);
  void check_required() const;
  void note_null_columns(const ObjectPlan& plan);

  PlanContext& context_;
  std::string name_;
  std::vector<std::string> fragments_;
  TablePlan* parent_;
  std::string source_path_;
  std::optional<schema::TableView> known_;  // in the snapshot
  size_t known_columns_ = 0;                // of it
  std::optional<size_t> change_;            // place in part.changes
  uint64_t rows_ = 0;
  ObjectPlan root_;
  std::unique_ptr<ObjectPlan> list_wrapper_;
  std::unordered_map<std::string, std::string> claimed_;  // by this part: path by name
  std::unordered_map<std::string, std::string> renamed_;  // in the snapshot: name by path
  std::deque<Slot> slots_;
  std::unordered_map<std::string, Slot*> slots_by_name_;
};

}  // namespace tidemark::normalize
