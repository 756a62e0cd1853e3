#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/extract/extract.h"
#include "tidemark/extract/ordered_workers.h"
#include "tidemark/extract/root_tables.h"
#include "tidemark/normalize/normalizer.h"
#include "tidemark/normalize/schema_merger.h"

// The run of one source and of each of its resources. Internal to the module.
namespace tidemark::extract {

class ResourceRun;

// What the resources of one source share: the schema that grows, the part files, the threads.
class SourceRun {
 public:
  SourceRun(const source::Source& source, const schema::Schema& schema,
            const json::Object& source_state, const ExtractOptions& options);
  ~SourceRun();

  // Runs what is selected and hands the outcome over; to be called once.
  Extracted run();

  const ExtractOptions& options() const { return options_; }
  normalize::SchemaMerger& merger() { return merger_; }
  OrderedWorkers& workers() { return *workers_; }
  json::Object& source_state() { return source_state_; }
  void warn(std::string message);

  const RootTable& table_of(const source::Resource& resource) const {
    return tables_.at(resource.table_name());
  }
  // Brings the resource's hints into the schema; no page may be at work.
  void begin_table(const source::Resource& resource, std::string_view cursor_path);

  // Appends the rows of a part. In page order, one at a time.
  void write(const normalize::Part& part);

 private:
  workdir::PartWriter& writer(const std::string& table);
  bool has_selected_child(const source::Resource& resource) const;
  void make_runs();
  void finish(Extracted& extracted);

  const source::Source& source_;
  const ExtractOptions& options_;
  const std::map<std::string, RootTable> tables_;  // by Resource::table_name
  normalize::SchemaMerger merger_;
  json::Object source_state_;  // without `resources`
  json::Object resource_states_;
  std::vector<std::unique_ptr<ResourceRun>> runs_;  // parents before children
  std::map<std::string, std::unique_ptr<workdir::PartWriter>> writers_;
  normalize::Counts counts_;
  std::mutex warnings_mutex_;
  std::vector<std::string> warnings_;
  std::unique_ptr<OrderedWorkers> workers_;  // last: its threads use the others
};

// One resource at work.
class ResourceRun final : public source::Extraction {
 public:
  ResourceRun(SourceRun& source, const source::Resource& resource, bool is_selected,
              const json::Value* state);
  ~ResourceRun() override;

  const source::Resource& resource() const { return resource_; }
  bool is_selected() const { return is_selected_; }
  void add_child(ResourceRun& child) { children_.push_back(&child); }
  // Runs the resource, and its children with it.
  void run();
  // Waits for its pages; the cursors are final then. The state, nothing when there is none.
  std::optional<json::Object> finish();
  const ResourceMetrics& metrics() const { return metrics_; }

  bool yield(json::Page page) override;
  const source::Incremental& incremental(std::string_view path,
                                         const source::IncrementalOptions& options) override;
  source::StateScope resource_state() override;
  source::StateScope source_state() override { return source::StateScope(source_.source_state()); }
  Secret secret(std::string_view name) override;
  const Cancellation& cancellation() const override { return *source_.options().cancellation; }
  void warn(std::string message) override;

 private:
  struct PagePass;

  void apply_hints();
  source::IncrementalOptions options_of(std::string_view path,
                                        const source::IncrementalOptions& given) const;
  void check_window() const;
  bool feeds_children() const { return !children_.empty(); }
  json::Page passing_rows(const json::Page& page);
  void submit(json::Page page);
  void process(const json::Page& page, size_t worker, const OrderedWorkers::WaitTurn& wait_turn);
  normalize::Normalizer& normalizer(size_t worker);
  void run_children(const json::Page& rows);
  bool is_limit_reached() const;
  bool is_exhausted();

  SourceRun& source_;
  const source::Resource& resource_;
  const bool is_selected_;
  std::vector<ResourceRun*> children_;
  bool has_hints_ = false;
  bool has_state_ = false;
  json::Object state_;
  // By cursor path; nodes of a map do not move.
  std::map<std::string, source::Incremental, std::less<>> cursors_;
  uint64_t yielded_pages_ = 0;
  bool is_done_ = false;
  ResourceMetrics metrics_;  // changed by workers, in their turn
  struct WorkerMemory;
  std::vector<std::unique_ptr<WorkerMemory>> memory_;  // one a worker
};

}  // namespace tidemark::extract
