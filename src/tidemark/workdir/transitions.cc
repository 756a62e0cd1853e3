#include "tidemark/workdir/transitions.h"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/json/write.h"
#include "tidemark/workdir/load_id.h"
#include "tidemark/workdir/package_files.h"

namespace tidemark::workdir {
namespace {

// The marker first, then the rename: with the marker in place the package is never loaded again.
void finish(const Layout& layout, std::string_view load_id, std::string_view outcome) {
  os::Path package = layout.package(PackageStage::kNormalized, load_id);
  layout.replace(package / kCompletedFile, outcome);
  os::make_directories(layout.stage(PackageStage::kLoaded));
  os::rename_directory(package, layout.package(PackageStage::kLoaded, load_id));
}

json::Array sorted_names(const json::Object& state, std::string_view key) {
  std::vector<std::string> names;
  if (const json::Value* tables = state.find(key); tables != nullptr && tables->is_array()) {
    for (const json::Value& table : tables->as_array()) {
      if (const json::Value* name = table.find("name")) names.push_back(name->as_string());
    }
  }
  std::sort(names.begin(), names.end());
  return json::Array(names.begin(), names.end());
}

json::Object read_package_state(const os::Path& package, std::string_view load_id) {
  std::optional<json::Object> state = read_object_if_exists(package / kStateFile);
  return state ? *std::move(state) : make_package_state(load_id);
}

void write_package_state(const Layout& layout, const os::Path& package, json::Object state) {
  bump_package_state(state);
  layout.replace(package / kStateFile, json::write(state));
}

// After a crash the caller knows less than the first time: what was noted then stays.
void note_what_was_applied(const Layout& layout, const os::Path& package, std::string_view load_id,
                           const CompletedLoad& load) {
  if (!load.applied_schema_updates.empty() || !os::path_exists(package / kAppliedUpdatesFile)) {
    layout.replace(package / kAppliedUpdatesFile, json::write(load.applied_schema_updates));
  }
  os::remove_file(package / kSchemaUpdatesFile);
  json::Object state = read_package_state(package, load_id);
  for (const char* key : {"dropped_tables", "truncated_tables"}) {
    json::Array names = sorted_names(state, key);
    if (!names.empty()) state.set(fmt::format("applied_{}", key), std::move(names));
  }
  if (!load.load_metrics.empty()) state.set("load_metrics", load.load_metrics);
  write_package_state(layout, package, std::move(state));
}

bool is_waiting(const Job& job) {
  return job.state == info::JobState::kNew || job.state == info::JobState::kStarted;
}

// Tried jobs have failed now; those that dlt had started end as it noted.
void end_jobs_of_aborted(const Layout& layout, const os::Path& package) {
  for (const Job& job : list_jobs(package)) {
    if (job.state == info::JobState::kStarted) {
      std::optional<Transition> transition = read_transition(package, job.file);
      if (transition && transition->is_completed) {
        move_job(package, job, info::JobState::kCompleted, job.file);
      } else {
        fail_job(layout, package, job, transition ? transition->failed_message : "aborted");
      }
      os::remove_file(package / kTransitionsFolder / job.file.file_name());
    } else if (job.state == info::JobState::kNew && job.file.retry_count > 0) {
      fail_job(layout, package, job, last_failure(package, job.file).value_or("aborted"));
    }
  }
  sync_jobs(package);
}

bool restore(const Layout& layout, const os::Path& package) {
  os::Path saved = package / kRestoreFolder;
  std::optional<std::string> state = os::read_file_if_exists(saved / "state.json");
  if (!state) return false;
  std::vector<std::string> names = schema_names_in(saved / "schemas");
  os::make_directories(layout.schemas());
  for (const std::string& name : names) {
    os::Path file = layout.schema_file(name);
    layout.replace(file, os::read_file(saved / "schemas" / file.filename()));
  }
  layout.replace(layout.state_file(), *state);
  for (const std::string& name : schema_names_in(layout.schemas())) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      os::remove_file(layout.schema_file(name));
    }
  }
  os::sync_directory(layout.schemas());
  return true;
}

void discard_newer(const Layout& layout, std::string_view load_id) {
  for (PackageStage stage : {PackageStage::kExtracted, PackageStage::kNormalized}) {
    std::vector<std::string> ids = layout.packages(stage);
    for (auto id = ids.rbegin(); id != ids.rend() && *id > load_id; ++id) {
      layout.discard(layout.package(stage, *id));
      os::remove_file(layout.manifest_file(*id));
    }
  }
}

bool is_abort_requested(const os::Path& package) {
  std::optional<json::Object> state = read_object_if_exists(package / kStateFile);
  const json::Value* requested = state ? state->find("abort_requested") : nullptr;
  return requested != nullptr && requested->is_bool() && requested->as_bool();
}

bool finish_abort(const Layout& layout, std::string_view load_id) {
  os::Path package = layout.package(PackageStage::kNormalized, load_id);
  discard_newer(layout, load_id);
  bool is_restored = restore(layout, package);
  end_jobs_of_aborted(layout, package);
  finish(layout, load_id, "aborted");
  return is_restored;
}

// The name stays, since dlt lists jobs by it, and so does the time, which people are shown.
void empty_job_file(const os::Path& file) {
  std::error_code fault;
  if (std::filesystem::file_size(file, fault) == 0 || fault) return;
  auto time = std::filesystem::last_write_time(file, fault);
  std::filesystem::resize_file(file, 0, fault);
  if (!fault) std::filesystem::last_write_time(file, time, fault);
}

void empty_jobs(const os::Path& package) {
  for (const Job& job : list_jobs(package)) empty_job_file(job.path(package));
}

// Whether all rows of the package are in the destination.
bool is_whole(const os::Path& package) {
  const std::vector<Job> jobs = list_jobs(package);
  return os::read_file_if_exists(package / kCompletedFile) != "aborted" &&
         std::none_of(jobs.begin(), jobs.end(),
                      [](const Job& job) { return job.state == info::JobState::kFailed; });
}

std::chrono::duration<double> age_of(std::string_view load_id, Time now) {
  return now.time_since_epoch() - std::chrono::duration<double>(parse_load_id(load_id).value_or(0));
}

void remove_orphaned_manifests(const Layout& layout) {
  for (const std::string& name : os::list_directory(layout.manifests())) {
    if (!layout.find_package(os::Path(name).stem().native())) {
      os::remove_file(layout.manifests() / name);
    }
  }
}

}  // namespace

void complete_package(const Layout& layout, std::string_view load_id, const CompletedLoad& load) {
  os::Path package = layout.package(PackageStage::kNormalized, load_id);
  note_what_was_applied(layout, package, load_id, load);
  std::optional<Manifest> manifest = read_manifest(layout, load_id);
  for (const Job& job : list_jobs(package)) {
    if (!is_waiting(job)) continue;
    auto failed = load.failed_tables.find(table_of(manifest, job.file));
    if (failed != load.failed_tables.end()) {
      fail_job(layout, package, job, failed->second);
    } else {
      move_job(package, job, info::JobState::kCompleted, job.file);
    }
    os::remove_file(package / kTransitionsFolder / job.file.file_name());
  }
  sync_jobs(package);
  finish(layout, load_id, "loaded");
}

void note_failure(const Layout& layout, std::string_view load_id, std::string_view table,
                  FailureKind kind, std::string_view message) {
  os::Path package = layout.package(PackageStage::kNormalized, load_id);
  os::make_directories(package / kExceptionsFolder);
  std::optional<Manifest> manifest = read_manifest(layout, load_id);
  for (const Job& job : list_jobs(package)) {
    if (!is_waiting(job) || table_of(manifest, job.file) != table) continue;
    layout.replace(package / kExceptionsFolder / job.file.exception_file_name(),
                   fmt::format("retry: {}\n{}",
                               kind == FailureKind::kTerminal ? "terminal" : "transient", message));
    move_job(package, job, info::JobState::kNew, job.file.next_try());
  }
  sync_jobs(package);
}

bool abort_package(const Layout& layout, PackageStage stage, std::string_view load_id) {
  os::Path package = layout.package(stage, load_id);
  if (stage == PackageStage::kExtracted) {
    discard_newer(layout, load_id);
    bool is_restored = restore(layout, package);
    layout.discard(package);
    return is_restored;
  }
  json::Object state = read_package_state(package, load_id);
  state.set("abort_requested", true);
  write_package_state(layout, package, std::move(state));
  return finish_abort(layout, load_id);
}

void trim_loaded(const Layout& layout, const Retention& retention, Time now) {
  size_t loaded = 0;
  size_t failed = 0;
  const std::vector<std::string> ids = layout.packages(PackageStage::kLoaded);
  for (const std::string& id : std::views::reverse(ids)) {
    const os::Path package = layout.package(PackageStage::kLoaded, id);
    if (!is_whole(package)) {
      if (++failed > retention.failed || age_of(id, now) > retention.failed_age) {
        empty_jobs(package);
      }
    } else if (++loaded > retention.loaded) {
      layout.discard(package);
      os::remove_file(layout.manifest_file(id));
    } else {
      empty_jobs(package);
    }
  }
}

void recover(const Layout& layout) {
  for (const std::string& name : os::list_directory(layout.temp())) {
    os::remove_tree(layout.temp() / name);
  }
  for (const std::string& id : layout.packages(PackageStage::kNew)) {
    os::remove_tree(layout.package(PackageStage::kNew, id));
  }
  for (const std::string& id : layout.packages(PackageStage::kNormalized)) {
    os::Path package = layout.package(PackageStage::kNormalized, id);
    // An abort removes the packages behind it.
    if (!os::path_exists(package)) continue;
    // dlt stopped between making this package and removing the one it was made of.
    os::Path extracted = layout.package(PackageStage::kExtracted, id);
    if (os::path_exists(extracted)) layout.discard(extracted);
    if (os::path_exists(package / kCompletedFile)) {
      os::make_directories(layout.stage(PackageStage::kLoaded));
      os::rename_directory(package, layout.package(PackageStage::kLoaded, id));
    } else if (is_abort_requested(package)) {
      finish_abort(layout, id);
    }
  }
  remove_orphaned_manifests(layout);
}

}  // namespace tidemark::workdir
