#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/cancellation.h"
#include "tidemark/base/secret.h"
#include "tidemark/json/page.h"
#include "tidemark/json/value.h"
#include "tidemark/source/incremental.h"

namespace tidemark::source {

enum class WriteDisposition { kAppend, kReplace, kMerge };
std::string_view to_string(WriteDisposition disposition);  // "append", "replace", "merge"

// A JSON object of the pipeline's state that a resource may read and change. Changes become durable
// with the package that carries the rows, or not at all.
class StateScope {
 public:
  explicit StateScope(json::Object& object) : object_(&object) {}

  const json::Value* find(std::string_view key) const { return object_->find(key); }
  void set(std::string_view key, json::Value value) { object_->set(key, std::move(value)); }
  // The value of key, after setting it to value if there was none.
  json::Value& setdefault(std::string_view key, json::Value value);
  json::Object& object() { return *object_; }

 private:
  json::Object* object_;
};

// What a running resource is given. Used by one thread: the one that runs the resource.
class Extraction {
 public:
  virtual ~Extraction() = default;

  // Hands rows over. Waits while too many bytes are under way. False: nothing more is wanted (the
  // cursor's row order says so, or a page limit); the resource should return. Error kCancelled
  // after a signal.
  virtual bool yield(json::Page page) = 0;

  // The cursor of this run. A second call with the same path and options returns the same one; with
  // other options Error kInvalid. It lives as long as this object.
  virtual const Incremental& incremental(std::string_view path,
                                         const IncrementalOptions& options) = 0;
  // state.sources.<source>.resources.<resource> and state.sources.<source>.
  virtual StateScope resource_state() = 0;
  virtual StateScope source_state() = 0;

  // The secret of that name in the configuration of the pipeline that runs, such as
  // "sources.github.token". Error kInvalid says where it can be set.
  virtual Secret secret(std::string_view name) = 0;

  virtual const Cancellation& cancellation() const = 0;
  // One line for people, shown once: a page left out, a request that was repeated.
  virtual void warn(std::string message) = 0;
};

// Hints of a resource; names and meaning are dlt 1.31's.
struct ResourceOptions {
  std::string name = {};
  std::string table_name = {};                // empty = name
  std::vector<std::string> primary_key = {};  // source field names
  std::vector<std::string> merge_key = {};
  WriteDisposition write_disposition = WriteDisposition::kAppend;
  std::string merge_strategy = {};  // "delete-insert" when empty
  json::Object columns = {};        // column hints by name, as dlt writes them
  std::optional<int> max_table_nesting = {};
  // Ours: rows stay whole, in one JSON column `value`, for rows whose own keys are data.
  bool as_json = false;
  // The resource's cursor when it is declared; code may ask for it with Extraction::incremental
  // instead.
  std::optional<std::pair<std::string, IncrementalOptions>> incremental = {};
  bool is_selected = true;
};

// A named stream of rows. A cheap shared value.
class Resource {
 public:
  using Run = std::function<void(Extraction&)>;
  // Runs once for each page of the parent's rows that passed the parent's cursor.
  using RunForParent = std::function<void(Extraction&, const json::Page& parent_rows)>;

  Resource(ResourceOptions options, Run run);
  // A child: parent names another resource of the same source.
  Resource(ResourceOptions options, std::string parent, RunForParent run);

  const ResourceOptions& options() const { return data_->options; }
  const std::string& name() const { return data_->options.name; }
  const std::string& table_name() const;
  const std::optional<std::string>& parent() const { return data_->parent; }
  // Whether a run of these takes its rows; names empty: as its options say.
  bool is_selected(const std::vector<std::string>& names) const;
  void run(Extraction& extraction) const { data_->run(extraction); }
  void run(Extraction& extraction, const json::Page& parent_rows) const {
    data_->run_for_parent(extraction, parent_rows);
  }
  // The same resource with other options.
  Resource with(ResourceOptions options) const;

 private:
  struct Data {
    ResourceOptions options;
    std::optional<std::string> parent;
    Run run;
    RunForParent run_for_parent;
  };
  std::shared_ptr<const Data> data_;
};

// Resources under one schema name. A cheap shared value.
class Source {
 public:
  // Error kInvalid for two resources of one name, an unknown parent, or parents in a circle.
  Source(std::string name, std::vector<Resource> resources);

  const std::string& name() const { return name_; }
  // Parents before their children.
  const std::vector<Resource>& resources() const { return resources_; }
  const Resource* find(std::string_view name) const;
  // Error kInvalid names the first that is no resource, and those that are.
  void check_names(const std::vector<std::string>& names) const;

 private:
  std::string name_;
  std::vector<Resource> resources_;
};

}  // namespace tidemark::source
