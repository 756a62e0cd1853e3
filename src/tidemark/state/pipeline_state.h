#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemark/base/clock.h"
#include "tidemark/json/path.h"
#include "tidemark/json/value.h"

namespace tidemark::state {

inline constexpr int64_t kStateEngineVersion = 4;

// The stored cursor of a resource.
struct Cursor {
  std::string source;
  std::string resource;
  std::string path;
  json::Value last_value;

  bool operator==(const Cursor&) const = default;
};

// Where a run happens: absolute paths.
struct RunContext {
  std::string settings_dir;
  std::string local_dir;
  std::string run_dir;
};

// dlt's pipeline state: the document of state.json with typed access. Values that JSON has no type
// for are strings with a marker (json/typed.h) and stay as they are. Unknown keys, key order and
// number text survive. A value: copying it is how a run keeps what it started from.
//
// Everything but `_local` goes to the destination and counts for the hash.
class PipelineState {
 public:
  // Of a pipeline that never ran: version 0 with its hash. Relative files of the destination are
  // against initial_cwd, which is absolute.
  static PipelineState create(std::string_view pipeline_name, std::string_view initial_cwd);
  // The document in engine 4, migrated in memory; the hash stays the stored one, so that the next
  // bump() shows whether the content is another. Error kCorrupt when it is no pipeline state,
  // kUnsupported when a newer dlt wrote it.
  static PipelineState from_json(json::Value document);
  // The same from the text of a state.json.
  static PipelineState read(std::string_view text);

  const json::Value& document() const { return document_; }
  // The text of state.json: one line without its end.
  std::string write() const;

  int64_t version() const;
  // As stored by the last bump().
  std::string_view version_hash() const;
  // The hash of the content now.
  std::string content_hash() const;
  // Stores the content's hash; when another one was stored before, the version counts up. Whether
  // it did.
  bool bump();
  // Stores the content's hash without counting up: for a state that nobody has seen yet.
  void rehash();

  std::string_view pipeline_name() const;
  std::optional<std::string_view> dataset_name() const;
  void set_dataset_name(std::string_view name);
  std::optional<std::string_view> default_schema_name() const;
  std::vector<std::string> schema_names() const;
  // Kept sorted. A default that is not among them gives way to the first one, or to null.
  void set_schema_names(std::vector<std::string> names);
  void add_schema_name(std::string_view name);
  // "dlt.destinations.duckdb".
  std::optional<std::string_view> destination_type() const;
  // Only when the user gave the destination a name of its own.
  std::optional<std::string_view> destination_name() const;
  void set_destination(std::string_view type, std::optional<std::string_view> name);

  // state.sources.<source> and state.sources.<source>.resources.<resource>, made when missing.
  // Borrowed: valid until another source or resource is made or dropped.
  json::Object& source_state(std::string_view source);
  json::Object& resource_state(std::string_view source, std::string_view resource);
  // nullptr when there is none.
  const json::Value* find_source_state(std::string_view source) const;
  const json::Value* find_resource_state(std::string_view source, std::string_view resource) const;
  std::vector<std::string> source_names() const;
  // Of the resources that have state.
  std::vector<std::string> resource_names(std::string_view source) const;
  // Whether there was one.
  bool drop_resource_state(std::string_view source, std::string_view resource);
  // Paths below the source that match; `resources` as a whole is never among them.
  std::vector<std::string> find_paths(std::string_view source, const json::Path& path) const;
  // Removes what find_paths names.
  void drop_paths(std::string_view source, const json::Path& path);
  // In stored order.
  std::vector<Cursor> cursors() const;

  // The local part; null when there is none, as in a state from the destination.
  const json::Value& local() const;
  // A key of the local part: dlt's, or a tool's own.
  void set_local(std::string_view key, json::Value value);
  // Until the first load or sync that succeeded.
  bool is_first_run() const;
  bool is_dev_mode() const;
  std::optional<std::string_view> initial_cwd() const;
  // Where the database was that this working directory was loaded to: ours, beside dlt's keys.
  std::optional<std::string_view> destination_location() const;
  void set_destination_location(std::string_view location);
  void set_last_run_context(const RunContext& context);

  // Whether this state is not yet in a package: call it after bump().
  bool must_extract() const;
  void mark_extracted(Time now);
  // The next run writes the state even if it did not change.
  void forget_extraction();

  // What the destination gets: the document without the local part.
  json::Value synchronised_part() const;
  // Becomes the remote state, but keeps its own local part and dataset name and knows that the
  // destination has it.
  void take_over(const PipelineState& remote);

  bool operator==(const PipelineState&) const = default;

 private:
  explicit PipelineState(json::Value document) : document_(std::move(document)) {}

  json::Object& object() { return document_.as_object(); }
  json::Object& mutable_local();
  std::optional<std::string_view> text(std::string_view key) const;

  json::Value document_;
};

}  // namespace tidemark::state
