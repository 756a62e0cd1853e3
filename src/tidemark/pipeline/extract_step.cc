#include "tidemark/pipeline/extract_step.h"

#include <algorithm>
#include <map>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/extract/extract.h"
#include "tidemark/pipeline/infos.h"
#include "tidemark/pipeline/refresh.h"
#include "tidemark/pipeline/seal_step.h"
#include "tidemark/pipeline/state_part.h"

namespace tidemark::pipeline {

namespace {

schema::Schema schema_of(RunState& run, const std::string& name) {
  auto schema = run.directory->read_schema(name);
  if (!schema) return schema::Schema::make(name);
  schema->add_standard_hints();
  return std::move(*schema);
}

bool only_evolves(const json::Value* contract) {
  if (contract == nullptr || contract->is_null()) return true;
  if (!contract->is_object()) return *contract == json::Value("evolve");
  return std::ranges::all_of(contract->as_object(), [](const auto& member) {
    return member.second == json::Value("evolve");
  });
}

// A contract that dlt was given must not be loaded past without a word.
void refuse_contracts(const schema::Schema& schema) {
  constexpr std::string_view kKey = "schema_contract";
  const auto refuse = [&](std::string_view owner) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("{} has a schema contract, which tidemark does not keep: run this "
                            "pipeline with dlt, or take the contract out of schema {}",
                            owner, schema.name()));
  };
  const json::Value* settings = schema.document().find("settings");
  if (settings != nullptr && !only_evolves(settings->as_object().find(kKey))) {
    refuse(fmt::format("schema {}", schema.name()));
  }
  for (const std::string_view name : schema.table_names()) {
    if (!only_evolves(schema.find_table(name)->object().find(kKey))) {
      refuse(fmt::format("table {}", name));
    }
  }
}

size_t thread_count(const Runtime& runtime) {
  if (runtime.threads > 0) return runtime.threads;
  return std::max(1U, std::thread::hardware_concurrency());
}

extract::ExtractOptions extract_options(RunState& run, const RunOptions& options,
                                        const schema::Schema& schema,
                                        const workdir::NewPackage& package) {
  extract::ExtractOptions result;
  result.job_directory = package.job_directory();
  result.load_id = package.load_id();
  result.naming = schema::make_naming(schema.naming_convention(),
                                      run.options.destination->capabilities().max_identifier_length,
                                      schema.splits_names());
  result.detections = schema::make_detections(schema, run.runtime.clock->now());
  result.threads = thread_count(run.runtime);
  result.select = options.select;
  result.limit_pages = options.limit_pages;
  result.window = options.window;
  result.secret = run.runtime.secret;
  result.random = run.runtime.random;
  result.cancellation = run.runtime.cancellation;
  result.progress = run.runtime.progress;
  return result;
}

json::Object source_state_of(const state::PipelineState& state, const std::string& source) {
  const json::Value* found = state.find_source_state(source);
  return found != nullptr ? found->as_object() : json::Object();
}

bool has_data(const schema::Schema& schema, const std::string& table) {
  const auto view = schema.find_table(table);
  return view && view->has_seen_data();
}

// What the package adds to the schema that was there before it: {table: partial table}.
json::Object schema_updates(const schema::Schema& before, const schema::Schema& after) {
  json::Object updates;
  for (const std::string_view name : after.table_names()) {
    const auto table = after.find_table(name);
    const auto known = before.find_table(name);
    json::Object columns;
    for (const schema::ColumnView& column : table->columns()) {
      const auto old = known ? known->find_column(column.name()) : std::nullopt;
      if (column.is_complete() && !(old && old->is_complete() && known->has_seen_data())) {
        columns.set(column.name(), column.object());
      }
    }
    if (columns.empty()) continue;
    json::Object partial = table->object();
    partial.set("columns", std::move(columns));
    updates.set(name, std::move(partial));
  }
  return updates;
}

uint64_t total(const std::map<normalize::ColumnKey, uint64_t>& counts) {
  uint64_t sum = 0;
  for (const auto& [column, count] : counts) sum += count;
  return sum;
}

info::Losses losses_of(const extract::Extracted& extracted) {
  info::Losses losses;
  losses.variant_columns = extracted.counts.variant_values.size();
  losses.rounded_decimals = total(extracted.counts.rounded_decimals);
  losses.numbers_as_text = total(extracted.counts.numbers_as_text);
  losses.dropped_values = total(extracted.counts.dropped_values);
  losses.duplicate_keys = extracted.counts.duplicate_keys;
  losses.collided_names =
      extracted.counts.renamed_columns.size() + extracted.counts.renamed_tables.size();
  losses.null_only_columns = null_only_columns(extracted).size();
  for (const extract::ResourceMetrics& resource : extracted.resources) {
    for (const extract::CursorMetrics& cursor : resource.cursors) {
      losses.rows_of_other_cursor_type += cursor.rows_of_other_type;
    }
  }
  return losses;
}

// Adds the state's row, when the destination does not have this state yet.
void add_state(RunState& run, state::PipelineState& state, const workdir::NewPackage& package,
               workdir::PackageContent& content) {
  state.bump();
  content.state = state.synchronised_part();
  if (!state.must_extract() || !run.options.restore_from_destination) return;
  StateRowPart row = write_state_part(package.job_directory(), state, package.load_id(),
                                      run.runtime.clock->now(), *run.runtime.random);
  content.parts.push_back(std::move(row.part));
  content.pipeline_state = std::move(row.row);
  content.schema.update_table(schema::state_table());
  content.schema.mark_seen_data(schema::kStateTable);
}

// One package in the making.
class PackageRun {
 public:
  PackageRun(RunState& run, const source::Source& source, const RunOptions& options)
      : run_(run),
        source_(source),
        options_(options),
        before_(schema_of(run, source.name())),
        state_(run.state),
        load_id_(run.directory->new_load_id(run.newest_load_id)) {}

  std::optional<std::string> extract(info::ExtractInfo& extract_info) {
    refuse_contracts(before_);
    package_ = run_.directory->begin_package(load_id_);
    workdir::PackageContent content{.schema = before_};
    apply_refresh(options_, source_, content, state_);
    const schema::Schema refreshed = content.schema;
    extract::Extracted extracted =
        extract::extract(source_, content.schema, source_state_of(state_, source_.name()),
                         extract_options(run_, options_, content.schema, *package_));
    take(extracted, content);
    add_state(run_, state_, *package_, content);
    fill_extract_info(extracted, load_id_, extract_info);
    // Shown already, when they came up.
    run_.warnings.insert(run_.warnings.end(), extracted.warnings.begin(), extracted.warnings.end());
    if (is_empty(content)) return std::nullopt;

    content.schema.bump();
    content.schema_updates = schema_updates(refreshed, content.schema);
    content_ = std::move(content);
    seal(run_, *package_, *content_);
    package_.reset();
    return load_id_;
  }

  const workdir::PackageContent& content() const { return *content_; }

 private:
  void take(extract::Extracted& extracted, workdir::PackageContent& content) {
    content.losses = losses_of(extracted);
    content.schema = std::move(extracted.schema);
    content.parts = std::move(extracted.parts);
    for (const std::string& table : extracted.replaced_tables) {
      const bool has_rows = std::any_of(content.parts.begin(), content.parts.end(),
                                        [&](const auto& part) { return part.table == table; });
      if (has_rows || has_data(before_, table)) content.replaced_tables.push_back(table);
    }
    if (!extracted.source_state.empty()) {
      state_.source_state(source_.name()) = std::move(extracted.source_state);
    }
    state_.add_schema_name(source_.name());
  }

  static bool is_empty(const workdir::PackageContent& content) {
    return content.parts.empty() && content.replaced_tables.empty() &&
           content.dropped_tables.empty() && content.truncated_tables.empty();
  }

  RunState& run_;
  const source::Source& source_;
  const RunOptions& options_;
  const schema::Schema before_;
  state::PipelineState state_;
  const std::string load_id_;
  std::unique_ptr<workdir::NewPackage> package_;
  std::optional<workdir::PackageContent> content_;
};

}  // namespace

std::optional<std::string> extract_package(RunState& run, Tracer& tracer,
                                           const source::Source& source,
                                           const RunOptions& options) {
  PackageRun package(run, source, options);
  std::optional<std::string> load_id;
  const Time started_at = run.runtime.clock->now();
  tracer.step(info::Step::kExtract, [&](info::StepTrace& step) {
    info::ExtractInfo extract_info;
    extract_info.started_at = started_at;
    load_id = package.extract(extract_info);
    extract_info.finished_at = run.runtime.clock->now();
    run.fill(extract_info, load_id ? std::vector{*load_id} : std::vector<std::string>());
    step.step_info = std::move(extract_info);
  });
  if (!load_id) return load_id;
  // Normalizing went on while the source was read: it is a step of its own only in what it tells.
  tracer.step(info::Step::kNormalize, [&](info::StepTrace& step) {
    info::NormalizeInfo normalize_info;
    step.started_at = started_at;
    normalize_info.started_at = started_at;
    normalize_info.finished_at = run.runtime.clock->now();
    fill_normalize_info(package.content(), *load_id, normalize_info);
    run.fill(normalize_info, {*load_id});
    step.step_info = std::move(normalize_info);
  });
  return load_id;
}

std::string seal_drop(RunState& run, const DropPlan& plan) {
  schema::Schema schema = schema_of(run, plan.schema_name);
  workdir::PackageContent content{.schema = schema};
  for (const std::string& table : plan.tables_with_data) {
    content.dropped_tables.push_back(schema.find_table(table)->object());
  }
  state::PipelineState state = run.state;
  apply_drop(plan, content.schema, state);
  // The destination gets the state even when the same one is there: the drop is a change of its
  // own.
  state.forget_extraction();
  const auto package = run.directory->begin_package(run.directory->new_load_id(run.newest_load_id));
  add_state(run, state, *package, content);
  content.schema.bump();
  seal(run, *package, content);
  return package->load_id();
}

}  // namespace tidemark::pipeline
