#include "tidemark/workdir/sealed_package.h"

#include <algorithm>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/workdir/package_files.h"

namespace tidemark::workdir {
namespace {

std::vector<json::Object> tables_in(const json::Object& state, std::string_view key) {
  std::vector<json::Object> tables;
  const json::Value* list = state.find(key);
  if (list == nullptr || !list->is_array()) return tables;
  for (const json::Value& table : list->as_array()) {
    if (table.is_object()) tables.push_back(table.as_object());
  }
  return tables;
}

// What dlt has dropped or emptied already may hold rows of this package by now.
std::vector<json::Object> tables_to_change(const json::Object& state, std::string_view key) {
  if (state.contains(fmt::format("applied_{}", key))) return {};
  return tables_in(state, key);
}

std::optional<std::string> text_in(const json::Object& state, std::string_view key) {
  const json::Value* value = state.find(key);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return value->as_string();
}

std::vector<std::string> names_of(const json::Object& state, std::string_view applied_key,
                                  std::string_view key) {
  std::vector<std::string> names;
  if (const json::Value* applied = state.find(applied_key); applied && applied->is_array()) {
    for (const json::Value& name : applied->as_array()) names.push_back(name.as_string());
  }
  if (!names.empty()) return names;
  for (const json::Object& table : tables_in(state, key)) {
    if (auto name = text_in(table, "name")) names.push_back(*std::move(name));
  }
  return names;
}

// dlt empties the root tables whose write disposition is replace, if the package has a job for
// them or for one of their nested tables.
std::vector<std::string> replaced_by_disposition(const schema::Schema& schema,
                                                 const std::vector<Job>& jobs) {
  std::vector<std::string> tables;
  for (const Job& job : jobs) {
    if (!schema.find_table(job.file.table_name)) continue;
    std::string root = schema.root_of(job.file.table_name);
    auto table = schema.find_table(root);
    if (table && table->write_disposition() == "replace" &&
        std::find(tables.begin(), tables.end(), root) == tables.end()) {
      tables.push_back(root);
    }
  }
  return tables;
}

enum class Progress { kWaiting, kStarted, kCompleted, kFailed };

Progress progress_of(const os::Path& package, const Job& job) {
  if (job.state == info::JobState::kNew) return Progress::kWaiting;
  if (job.state == info::JobState::kCompleted) return Progress::kCompleted;
  if (job.state == info::JobState::kFailed) return Progress::kFailed;
  const std::optional<Transition> transition = read_transition(package, job.file);
  if (!transition) return Progress::kStarted;
  return transition->is_completed ? Progress::kCompleted : Progress::kFailed;
}

// Whether dlt loads the table's rows with one INSERT a job, and not into a staging dataset or over
// what was there before.
bool is_appended(const schema::Schema& schema, const std::string& table) {
  if (!schema.find_table(table)) return true;
  const auto root = schema.find_table(schema.root_of(table));
  return root->write_disposition().value_or("append") == "append";
}

// SQL that dlt makes of completed jobs, to merge or replace from its staging dataset; it is made
// again from the jobs themselves.
bool is_follow_up(const Job& job) { return job.file.file_format == "sql"; }

void check_part(const os::Path& file, const PartSummary* part) {
  if (part == nullptr) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("{} is not in the manifest of its package; abort-packages gives the "
                            "package up and puts its cursors back",
                            file.native()));
  }
  if (PartReader(file).checksum() != part->checksum) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("{} is not the file that was sealed", file.native()));
  }
}

SealedJob sealed_job(const os::Path& package, const Job& job,
                     const std::optional<Manifest>& manifest) {
  os::Path file = job.path(package);
  const PartSummary* part = manifest ? manifest->find(job.file) : nullptr;
  if (job.file.file_format == kPartFormat) check_part(file, part);
  return {table_of(manifest, job.file), job.file.file_format, file, part ? part->rows : 0,
          part ? part->bytes : std::filesystem::file_size(file)};
}

void read_jobs(const std::vector<Job>& jobs, const std::optional<Manifest>& manifest,
               SealedPackage& package) {
  for (const Job& job : jobs) {
    if (is_follow_up(job)) continue;
    const Progress progress = progress_of(package.path, job);
    const bool is_ours = job.file.file_format == kPartFormat;
    const bool is_redone =
        !is_ours && !is_appended(package.content.schema, table_of(manifest, job.file));
    if (progress == Progress::kFailed || (progress == Progress::kCompleted && !is_redone)) continue;
    SealedJob& sealed = package.jobs.emplace_back(sealed_job(package.path, job, manifest));
    sealed.may_be_loaded = progress == Progress::kStarted && !is_ours && !is_redone;
  }
  std::ranges::sort(package.jobs, {}, [](const SealedJob& job) { return job.file.filename(); });
}

void check_all_parts_are_there(const Manifest& manifest, const std::vector<Job>& jobs,
                               std::string_view load_id) {
  for (const PartSummary& part : manifest.parts) {
    bool is_there = std::any_of(jobs.begin(), jobs.end(),
                                [&](const Job& job) { return manifest.find(job.file) == &part; });
    if (!is_there) {
      throw Error(ErrorCode::kCorrupt,
                  fmt::format("part {} of package {} is missing", part.file_name, load_id));
    }
  }
}

std::optional<std::string> failed_message(const os::Path& package, const Job& job) {
  if (job.state == info::JobState::kFailed) {
    return os::read_file_if_exists(job.path(package).native() + std::string(kExceptionSuffix));
  }
  bool is_retried = job.state == info::JobState::kNew && job.file.retry_count > 0;
  return is_retried ? last_failure(package, job.file) : std::nullopt;
}

info::LoadJobInfo job_info(const os::Path& package, const Job& job,
                           const std::optional<Manifest>& manifest, Time until) {
  os::Path file = job.path(package);
  const PartSummary* part = manifest ? manifest->find(job.file) : nullptr;
  info::LoadJobInfo info;
  info.state = job.state;
  info.file_path = file.native();
  // A part that was loaded has shrunk to nothing.
  info.file_size = part ? part->bytes : std::filesystem::file_size(file);
  info.created_at = modification_time(file);
  info.elapsed = std::max(until - info.created_at, std::chrono::microseconds(0));
  info.job_file_info = job.file;
  info.failed_message = failed_message(package, job);
  return info;
}

info::PackageState state_of(PackageStage stage, const std::string& completed) {
  switch (stage) {
    case PackageStage::kNew:
      return info::PackageState::kNew;
    case PackageStage::kExtracted:
      return info::PackageState::kExtracted;
    case PackageStage::kNormalized:
    case PackageStage::kLoaded:
      break;
  }
  if (completed == "loaded") return info::PackageState::kLoaded;
  if (completed == "aborted") return info::PackageState::kAborted;
  return info::PackageState::kNormalized;
}

}  // namespace

SealedPackage read_sealed_package(const Layout& layout, std::string_view load_id) {
  os::Path path = layout.package(PackageStage::kNormalized, load_id);
  std::optional<Manifest> manifest = read_manifest(layout, load_id);
  std::vector<Job> jobs = list_jobs(path);
  json::Object state =
      read_object_if_exists(path / kStateFile).value_or(make_package_state(load_id));
  SealedPackage package{
      std::string(load_id),
      path,
      {.schema = schema::Schema::from_json(read_object(path / kSchemaFile), /*verify_hash=*/false),
       .schema_updates = read_object_if_exists(path / kSchemaUpdatesFile).value_or(json::Object()),
       .parts = {},
       .losses = {},
       .replaced_tables = {},
       .dropped_tables = tables_to_change(state, "dropped_tables"),
       .truncated_tables = tables_to_change(state, "truncated_tables"),
       .refresh = text_in(state, "refresh"),
       .pipeline_state = std::nullopt,
       .state = {}},
      {}};
  if (const json::Value* row = state.find("pipeline_state"); row != nullptr && row->is_object()) {
    package.content.pipeline_state = row->as_object();
  }
  if (manifest) {
    check_all_parts_are_there(*manifest, jobs, load_id);
    package.content.parts = manifest->parts;
    package.content.losses = manifest->losses;
    package.content.replaced_tables = manifest->replaced_tables;
    package.content.state = manifest->state;
  } else {
    package.content.replaced_tables = replaced_by_disposition(package.content.schema, jobs);
  }
  read_jobs(jobs, manifest, package);
  return package;
}

info::LoadPackageInfo read_package_info(const Layout& layout, PackageStage stage,
                                        std::string_view load_id, Time now) {
  os::Path path = layout.package(stage, load_id);
  info::LoadPackageInfo package;
  package.load_id = load_id;
  package.package_path = path.native();
  std::optional<std::string> completed = os::read_file_if_exists(path / kCompletedFile);
  if (completed) package.completed_at = modification_time(path / kCompletedFile);
  package.state = state_of(stage, completed.value_or(""));
  if (auto schema = read_object_if_exists(path / kSchemaFile)) {
    package.schema_name = text_in(*schema, "name").value_or("");
    package.schema_hash = text_in(*schema, "version_hash").value_or("");
  }
  package.schema_update =
      read_object_if_exists(path / kAppliedUpdatesFile).value_or(json::Object());
  std::optional<Manifest> manifest = read_manifest(layout, load_id);
  for (const Job& job : list_jobs(path)) {
    package.jobs.push_back(job_info(path, job, manifest, package.completed_at.value_or(now)));
  }
  json::Object state = read_object_if_exists(path / kStateFile).value_or(json::Object());
  package.refresh = text_in(state, "refresh");
  package.dropped_tables = names_of(state, "applied_dropped_tables", "dropped_tables");
  package.truncated_tables = names_of(state, "applied_truncated_tables", "truncated_tables");
  package.has_pending_transitions = !os::list_directory(path / kTransitionsFolder).empty();
  return package;
}

}  // namespace tidemark::workdir
