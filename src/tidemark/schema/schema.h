#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/json/value.h"
#include "tidemark/schema/data_type.h"
#include "tidemark/schema/table_view.h"

namespace tidemark::schema {

// The columns dlt adds to rows.
inline constexpr std::string_view kIdColumn = "_dlt_id";
inline constexpr std::string_view kLoadIdColumn = "_dlt_load_id";
inline constexpr std::string_view kParentIdColumn = "_dlt_parent_id";
inline constexpr std::string_view kListIndexColumn = "_dlt_list_idx";
inline constexpr std::string_view kRootIdColumn = "_dlt_root_id";
inline constexpr std::string_view kVersionTable = "_dlt_version";
inline constexpr std::string_view kLoadsTable = "_dlt_loads";
inline constexpr std::string_view kStateTable = "_dlt_pipeline_state";

inline constexpr int kEngineVersion = 11;

// Ours: the source path of a column or table whose name collided with another path's (naming.h,
// collision_name).
inline constexpr std::string_view kSourcePathHint = "x-source-path";

// Whether the name is one of dlt's own: a table or column that starts with _dlt.
inline bool is_system_name(std::string_view name) { return name.starts_with("_dlt"); }

// A dlt schema: the stored document with typed access. Keeps what it does not know. A value:
// copying it is how a reader gets a snapshot.
class Schema {
 public:
  // A fresh schema of that name with the two standard tables, version 1 and its hash: what dlt 1.31
  // makes. Error kInvalid when the name is no identifier of at most 64 characters.
  static Schema make(std::string_view name);
  // From a stored document, migrated to engine 11, checked and bumped when its content does not
  // have its version_hash. verify_hash: a document of engine 11 whose hash differs is Error
  // kCorrupt instead (a file that was edited by hand). Error kUnsupported for a newer engine,
  // kInvalid for a document that is no schema: missing tables, unknown data types, parents that do
  // not exist.
  static Schema from_json(json::Object document, bool verify_hash);

  const json::Object& document() const { return document_; }
  std::string_view name() const;
  int64_t version() const;
  // As stored by the last bump().
  std::string_view version_hash() const;
  std::string_view naming_convention() const;  // "snake_case"
  std::optional<int> max_nesting() const;      // normalizers.json.config.max_nesting
  // Whether names of fields and tables in data are paths to Naming, or single
  // identifiers, as they are in schemas that come from engine 10 or older.
  bool splits_names() const;

  std::vector<std::string_view> table_names() const;  // in stored order
  std::optional<TableView> find_table(std::string_view name) const;
  // Nested tables of a root, parents first, the root itself first of all.
  std::vector<std::string> table_chain(std::string_view root) const;
  // The root of a nested table; the name itself for a root.
  std::string root_of(std::string_view table) const;
  // Root tables that are not dlt's own.
  std::vector<std::string> data_root_tables() const;

  // What a column of that table is stored as when data first types it: the schema's default hints,
  // overlaid by the hints of the incomplete column when the table has one. The table need not
  // exist.
  json::Object infer_column(std::string_view table, std::string_view name, DataType type) const;
  // The same with the variant flag and dlt's description.
  json::Object infer_variant_column(std::string_view table, std::string_view name,
                                    DataType type) const;
  // The type that settings.preferred_types wants for a column of that name.
  std::optional<DataType> preferred_type(std::string_view column) const;
  // Whether settings.detections has it: "iso_timestamp", "iso_date", "timestamp", ...
  bool has_detection(std::string_view name) const;

  // Merges a partial table in: new tables and columns are added at the end, an incomplete column
  // that becomes complete moves to the end, hints of a known column are overwritten
  // (dlt 1.31). A new table gets dlt's defaults: root tables write_disposition append and their
  // name as resource. Error kInvalid when its parent is missing or not the one it is known with.
  void update_table(const json::Object& partial);
  // The same for what hints of a resource say (hints.h): compound hints in it (primary_key,
  // merge_key, partition, cluster, incremental) replace those of the table instead of adding to
  // them.
  void apply_hints(const json::Object& partial);
  // Without effect when there is no such table. Its nested tables go with it.
  void drop_table(std::string_view name);
  // After a package was normalized: x-normalizer.seen-data on, evolve-columns-once off.
  void mark_seen_data(std::string_view table);
  // normalizers.json.config.propagation.tables.<root> = {"_dlt_id": "_dlt_root_id"}.
  void set_root_key_propagation(std::string_view root);
  bool has_root_key_propagation(std::string_view root) const;
  // Whether nested tables of that root carry _dlt_root_id by dlt's rules: merge tables of every
  // strategy but scd2 unless root_key_propagation is false, all when it is true, and chains that
  // have it already.
  bool needs_root_key(std::string_view root) const;
  // Adds the default hints of dlt 1.31 that a schema of an older dlt lacks. dlt does so at extract.
  void add_standard_hints();

  // Recomputes the hash; when it changed, version + 1 and the old hash goes to previous_hashes (at
  // most 10). Whether it changed.
  bool bump();
  // The hash of the content now (dlt 1.31).
  std::string content_hash() const;

  bool operator==(const Schema&) const = default;

 private:
  explicit Schema(json::Object document) : document_(std::move(document)) {}
  json::Object& propagation_tables();

  json::Object document_;
};

// The three tables of dlt's own, as a fresh schema of dlt 1.31 stores them.
json::Object version_table();
json::Object loads_table();
json::Object state_table();

}  // namespace tidemark::schema
