#include "tidemark/extract/resource_run.h"

#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"

namespace tidemark::extract {

// What a worker keeps from page to page of one resource.
struct ResourceRun::WorkerMemory {
  Shake128 shake;
  json::Parser parser;
  std::unique_ptr<normalize::Normalizer> normalizer;
  normalize::Part part;
};

// What the cursors make of one page.
struct ResourceRun::PagePass {
  PagePass(std::map<std::string, source::Incremental, std::less<>>& cursors_in, Shake128& shake_in)
      : cursors(cursors_in), shake(shake_in) {}

  normalize::Normalizer::Filter filter() {
    outcomes.assign(cursors.size(), {});
    if (cursors.empty()) return nullptr;
    return [this](json::Node row) {
      bool passes = true;
      size_t i = 0;
      for (auto& [path, cursor] : cursors) {
        passes = cursor.keep(row, outcomes[i++], shake) && passes;
      }
      return passes;
    };
  }
  void merge() {
    size_t i = 0;
    for (auto& [path, cursor] : cursors) cursor.merge(std::move(outcomes[i++]));
  }

  std::map<std::string, source::Incremental, std::less<>>& cursors;
  Shake128& shake;
  std::vector<source::PageCursor> outcomes;
};

ResourceRun::ResourceRun(SourceRun& source, const source::Resource& resource, bool is_selected,
                         const json::Value* state)
    : source_(source), resource_(resource), is_selected_(is_selected) {
  if (state != nullptr && state->is_object()) {
    has_state_ = true;
    state_ = state->as_object();
  }
  metrics_.name = resource.name();
  metrics_.parent = resource.parent();
  metrics_.table = source.table_of(resource).name;
  for (size_t i = 0; i < source.workers().threads(); ++i) {
    memory_.push_back(std::make_unique<WorkerMemory>());
  }
  if (const auto& declared = resource.options().incremental) {
    incremental(declared->first, declared->second);
  }
}

ResourceRun::~ResourceRun() = default;

void ResourceRun::run() {
  try {
    resource_.run(*this);
    source_.workers().drain();
    check_window();
  } catch (Error& error) {
    error.add_context(fmt::format("resource {}", resource_.name()));
    throw;
  }
}

std::optional<json::Object> ResourceRun::finish() {
  for (const auto& [path, cursor] : cursors_) {
    metrics_.cursors.push_back({path, cursor.rows_seen(), cursor.rows_of_other_type(),
                                cursor.initial_hash_count(), cursor.final_hash_count()});
    if (cursor.is_stateless()) continue;
    json::Value& incremental = state_["incremental"];
    if (!incremental.is_object()) incremental = json::Object();
    incremental.as_object().set(path, cursor.state());
    has_state_ = true;
  }
  if (is_selected_ && resource_.options().write_disposition == source::WriteDisposition::kReplace) {
    apply_hints();
  }
  if (!has_state_) return std::nullopt;
  return std::move(state_);
}

bool ResourceRun::yield(json::Page page) {
  cancellation().throw_if_cancelled();
  // A resource that goes on although it was told to stop brings nothing more.
  if (is_done_) return false;
  if (is_selected_) apply_hints();
  ++yielded_pages_;
  const json::Page rows = feeds_children() ? passing_rows(page) : json::Page();
  submit(std::move(page));
  if (rows.row_count() > 0) run_children(rows);
  is_done_ = is_limit_reached() || is_exhausted();
  return !is_done_;
}

void ResourceRun::run_children(const json::Page& rows) {
  for (ResourceRun* child : children_) {
    try {
      child->resource_.run(*child, rows);
    } catch (Error& error) {
      error.add_context(fmt::format("resource {}", child->resource_.name()));
      throw;
    }
  }
}

// Only a cursor with a row order can be; then each page is waited for, as dlt reads them.
bool ResourceRun::is_exhausted() {
  for (const auto& [path, cursor] : cursors_) {
    if (cursor.options().row_order == source::RowOrder::kNone) continue;
    source_.workers().drain();
    if (cursor.is_exhausted()) return true;
  }
  return false;
}

bool ResourceRun::is_limit_reached() const {
  const auto limit = source_.options().limit_pages;
  return limit && !resource_.parent() && yielded_pages_ >= *limit;
}

const source::Incremental& ResourceRun::incremental(std::string_view path,
                                                    const source::IncrementalOptions& given) {
  const source::IncrementalOptions options = options_of(path, given);
  if (const auto known = cursors_.find(path); known != cursors_.end()) {
    if (known->second.options() != options) {
      throw Error(ErrorCode::kInvalid,
                  fmt::format("resource {} asks twice for the cursor {} with different options",
                              resource_.name(), path));
    }
    return known->second;
  }
  // Pages under way look through the cursors.
  source_.workers().drain();
  const json::Value* incremental = state_.find("incremental");
  const json::Value* stored = incremental != nullptr ? incremental->find(path) : nullptr;
  return cursors_
      .try_emplace(std::string(path), path, options, resource_.options().primary_key,
                   stored != nullptr ? *stored : json::Value())
      .first->second;
}

source::IncrementalOptions ResourceRun::options_of(std::string_view path,
                                                   const source::IncrementalOptions& given) const {
  const auto& window = source_.options().window;
  if (!window) return given;
  const json::Value* incremental = state_.find("incremental");
  const json::Value* stored = incremental != nullptr ? incremental->find(path) : nullptr;
  const json::Value* last_value = stored != nullptr ? stored->find("last_value") : nullptr;
  return in_window(given, *window, last_value != nullptr ? *last_value : json::Value());
}

// What a window does not bound would come as a whole, and what replaces would keep nothing else.
void ResourceRun::check_window() const {
  if (!source_.options().window || !is_selected_) return;
  if (resource_.options().write_disposition == source::WriteDisposition::kReplace) {
    throw Error(ErrorCode::kInvalid,
                "it replaces its table, which would then hold only the rows of the window");
  }
  if (!resource_.parent() && cursors_.empty()) {
    throw Error(ErrorCode::kInvalid,
                "it has no cursor that the window could bound; select those that have one");
  }
}

source::StateScope ResourceRun::resource_state() {
  has_state_ = true;
  return source::StateScope(state_);
}

Secret ResourceRun::secret(std::string_view name) {
  if (!source_.options().secret) {
    throw Error(
        ErrorCode::kInvalid,
        fmt::format("resource {} needs the secret {}, and the pipeline has no configuration",
                    resource_.name(), name));
  }
  return source_.options().secret(name);
}

void ResourceRun::warn(std::string message) {
  source_.warn(fmt::format("resource {}: {}", resource_.name(), message));
}

// dlt takes hints up when the first item of a resource comes; so a resource without rows changes
// nothing, except that a replacing one empties its table.
void ResourceRun::apply_hints() {
  if (has_hints_) return;
  has_hints_ = true;
  source_.workers().drain();
  const std::string cursor = cursors_.empty() ? "" : cursors_.begin()->first;
  source_.begin_table(resource_, cursor);
}

json::Page ResourceRun::passing_rows(const json::Page& page) {
  if (cursors_.empty()) return page;
  json::Parser parser;
  Shake128 shake;
  PagePass pass(cursors_, shake);
  const auto passes = pass.filter();
  json::DocumentBuilder builder;
  builder.begin_array();
  json::RowReader reader(page, parser);
  while (const auto row = reader.next()) {
    if (passes(*row)) builder.node(*row);
  }
  builder.end_array();
  auto document = builder.finish();
  const json::Node rows = document->root();
  return json::Page::rows(std::move(document), rows, page.origin());
}

void ResourceRun::submit(json::Page page) {
  const size_t bytes = page.byte_size();
  source_.workers().submit(
      bytes, [this, page = std::move(page)](size_t worker, const OrderedWorkers::WaitTurn& wait) {
        process(page, worker, wait);
      });
}

void ResourceRun::process(const json::Page& page, size_t worker,
                          const OrderedWorkers::WaitTurn& wait_turn) {
  WorkerMemory& memory = *memory_[worker];
  PagePass pass(cursors_, memory.shake);
  if (is_selected_) {
    // Made at once under the schema known now; made again only if an earlier page decided
    // otherwise.
    do {
      normalizer(worker).run(
          source_.merger().snapshot(), page, [&] { return pass.filter(); }, memory.part);
      wait_turn();
    } while (!source_.merger().merge(memory.part));
    source_.write(memory.part);
    metrics_.rows_read += memory.part.rows_read;
    metrics_.rows_kept += memory.part.rows_kept;
  } else {
    const auto passes = pass.filter();
    json::RowReader reader(page, memory.parser);
    while (const auto row = reader.next()) {
      if (passes) passes(*row);
    }
    wait_turn();
  }
  pass.merge();
  ++metrics_.pages;
  metrics_.bytes += page.data_size();
  if (source_.options().progress != nullptr) {
    source_.options().progress->extracted(resource_.name(), metrics_.pages, metrics_.rows_kept,
                                          metrics_.bytes);
  }
}

normalize::Normalizer& ResourceRun::normalizer(size_t worker) {
  std::unique_ptr<normalize::Normalizer>& normalizer = memory_[worker]->normalizer;
  if (normalizer == nullptr) {
    const ExtractOptions& options = source_.options();
    normalizer = std::make_unique<normalize::Normalizer>(
        normalize::NormalizerOptions{source_.table_of(resource_).name, options.load_id,
                                     options.naming, options.detections,
                                     resource_.options().as_json},
        *options.random);
  }
  return *normalizer;
}

}  // namespace tidemark::extract
