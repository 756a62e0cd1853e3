#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/extract/hints.h"
#include "tidemark/extract/resource_run.h"

namespace tidemark::extract {

namespace {

// Of pages that wait or are at work; memory is a small multiple of it.
constexpr size_t kMaxPageBytes = size_t{24} << 20;

}  // namespace

SourceRun::SourceRun(const source::Source& source, const schema::Schema& schema,
                     const json::Object& source_state, const ExtractOptions& options)
    : source_(source),
      options_(options),
      tables_(root_tables(source, schema, *options.naming)),
      merger_(schema),
      source_state_(source_state) {
  if (const json::Value* resources = source_state_.find("resources");
      resources != nullptr && resources->is_object()) {
    resource_states_ = resources->as_object();
  }
  source_state_.erase("resources");
  workers_ = std::make_unique<OrderedWorkers>(options.threads, kMaxPageBytes);
  source_.check_names(options.select);
  // A list of another resource's rows may not take the name of a resource's table.
  for (const auto& [name, table] : tables_) merger_.claim({"", table.name, name});
  make_runs();
}

SourceRun::~SourceRun() = default;

Extracted SourceRun::run() {
  Extracted extracted{schema::Schema(merger_.snapshot()->schema), {}, {}, {}, {}, {}, {}};
  for (const auto& run : runs_) {
    if (!run->resource().parent()) run->run();
  }
  finish(extracted);
  return extracted;
}

void SourceRun::finish(Extracted& extracted) {
  for (const auto& run : runs_) {
    const source::Resource& resource = run->resource();
    if (auto state = run->finish()) resource_states_.set(resource.name(), std::move(*state));
    extracted.resources.push_back(run->metrics());
    if (run->is_selected() &&
        resource.options().write_disposition == source::WriteDisposition::kReplace) {
      extracted.replaced_tables.push_back(table_of(resource).name);
    }
  }
  for (const auto& [table, writer] : writers_) extracted.parts.push_back(writer->finish());
  extracted.schema = merger_.snapshot()->schema;
  for (const workdir::PartSummary& part : extracted.parts) {
    extracted.schema.mark_seen_data(part.table);
  }
  extracted.source_state = std::move(source_state_);
  if (!resource_states_.empty()) {
    extracted.source_state.set("resources", std::move(resource_states_));
  }
  extracted.counts = std::move(counts_);
  extracted.warnings = std::move(warnings_);
}

void SourceRun::begin_table(const source::Resource& resource, std::string_view cursor_path) {
  const RootTable& table = table_of(resource);
  if (!table.source_path.empty() && !merger_.snapshot()->schema.find_table(table.name)) {
    counts_.renamed_tables[table.name] = table.source_path;
  }
  merger_.apply_hints(hints_of(resource, table, cursor_path, *options_.naming));
}

bool SourceRun::has_selected_child(const source::Resource& resource) const {
  for (const source::Resource& child : source_.resources()) {
    if (child.parent() != resource.name()) continue;
    if (child.is_selected(options_.select) || has_selected_child(child)) return true;
  }
  return false;
}

void SourceRun::make_runs() {
  for (const source::Resource& resource : source_.resources()) {
    const bool selected = resource.is_selected(options_.select);
    if (!selected && !has_selected_child(resource)) continue;
    // A replacing resource starts from nothing, its cursor too.
    if (resource.options().write_disposition == source::WriteDisposition::kReplace) {
      resource_states_.erase(resource.name());
    }
    runs_.push_back(std::make_unique<ResourceRun>(*this, resource, selected,
                                                  resource_states_.find(resource.name())));
    for (const auto& parent : runs_) {
      if (resource.parent() == parent->resource().name()) parent->add_child(*runs_.back());
    }
  }
}

void SourceRun::warn(std::string message) {
  const std::lock_guard lock(warnings_mutex_);
  if (std::find(warnings_.begin(), warnings_.end(), message) != warnings_.end()) return;
  if (options_.progress != nullptr) options_.progress->warning(message);
  warnings_.push_back(std::move(message));
}

void SourceRun::write(const normalize::Part& part) {
  for (const normalize::Part::Table& table : part.tables) {
    writer(table.name).append(table.encoded, table.rows, table.infos);
  }
  counts_.add(part.counts);
}

workdir::PartWriter& SourceRun::writer(const std::string& table) {
  std::unique_ptr<workdir::PartWriter>& writer = writers_[table];
  if (writer == nullptr) {
    writer = std::make_unique<workdir::PartWriter>(
        options_.job_directory / workdir::new_part_file_name(table, *options_.random), table);
  }
  return *writer;
}

Extracted extract(const source::Source& source, const schema::Schema& schema,
                  const json::Object& source_state, const ExtractOptions& options) {
  return SourceRun(source, schema, source_state, options).run();
}

}  // namespace tidemark::extract
