#include "tidemark/pipeline/load_step.h"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/info/job_file.h"
#include "tidemark/load/load_package.h"
#include "tidemark/pipeline/infos.h"

namespace tidemark::pipeline {

namespace {

std::vector<std::string> names_of(const std::vector<json::Object>& tables) {
  std::vector<std::string> names;
  names.reserve(tables.size());
  for (const json::Object& table : tables) names.push_back(table.find("name")->as_string());
  return names;
}

load::PackageContent content_of(const workdir::SealedPackage& package) {
  load::PackageContent content;
  content.load_id = package.load_id;
  content.schema = &package.content.schema;
  std::map<std::string, destination::TableParts> tables;
  for (const workdir::SealedJob& job : package.jobs) {
    destination::TableParts& parts = tables[job.table];
    parts.table = job.table;
    parts.files.push_back(job.file);
    parts.may_be_loaded = parts.may_be_loaded || job.may_be_loaded;
  }
  for (auto& [table, parts] : tables) content.parts.push_back(std::move(parts));
  content.replaced_tables = package.content.replaced_tables;
  content.dropped_tables = names_of(package.content.dropped_tables);
  content.truncated_tables = names_of(package.content.truncated_tables);
  return content;
}

load::LoadOutcome load(RunState& run, const workdir::SealedPackage& package) {
  load::LoadOptions options;
  options.raise_on_failed_jobs = run.options.raise_on_failed_jobs;
  options.clock = run.runtime.clock;
  options.cancellation = run.runtime.cancellation;
  options.progress = run.runtime.progress;
  options.sleeper = run.runtime.sleeper;
  options.failed = [&](const load::FailedTable& failed) {
    run.directory->note_failure(
        package.load_id, failed.table,
        failed.is_transient ? workdir::FailureKind::kTransient : workdir::FailureKind::kTerminal,
        failed.message);
  };
  return load::load_package(*run.options.destination, run.dataset, content_of(package), options);
}

void warn_of_tables(RunState& run, const load::LoadOutcome& outcome) {
  for (const destination::LoadedTable& table : outcome.tables) {
    if (!table.warning.empty()) run.warn(fmt::format("table {}: {}", table.table, table.warning));
  }
}

// A package that dlt can finish leaves its state in state.json when it is sealed, and dlt may have
// extracted more since.
bool is_state_local(const RunState& run, const workdir::SealedPackage& package) {
  if (package.content.state.is_null() || package.jobs.empty() ||
      package.jobs.front().format == workdir::kPartFormat) {
    return false;
  }
  return state::PipelineState::from_json(package.content.state).version() <= run.state.version();
}

workdir::CompletedLoad completed(const workdir::SealedPackage& package,
                                 const load::LoadOutcome& outcome, const info::LoadInfo& info) {
  workdir::CompletedLoad result;
  // What an earlier run added is known from the package only.
  result.applied_schema_updates =
      outcome.was_committed ? package.content.schema_updates : outcome.schema_update;
  for (const load::FailedTable& failed : outcome.failed) {
    for (const std::string& table : package.content.schema.table_chain(failed.table)) {
      result.failed_tables.emplace(table, failed.message);
    }
  }
  for (const info::LoadJobMetrics& job : info.job_metrics) {
    result.load_metrics.set(job.job_id, info::to_json(job));
  }
  return result;
}

void fill_destination(const RunState& run, info::LoadInfo& info) {
  const destination::Capabilities& capabilities = run.options.destination->capabilities();
  info.destination_type = capabilities.factory;
  info.destination_name = run.destination_name();
  info.destination_displayable_credentials = run.options.destination->location();
}

}  // namespace

info::LoadInfo load_sealed_package(RunState& run, Tracer& tracer, const std::string& load_id) {
  info::LoadInfo info;
  tracer.step(info::Step::kLoad, [&](info::StepTrace& step) {
    if (run.runtime.progress != nullptr) run.runtime.progress->step("load");
    const bool is_first_run = run.state.is_first_run();
    fill_destination(run, info);
    info.dataset_name = run.dataset;
    info.started_at = run.runtime.clock->now();
    workdir::SealedPackage package = run.directory->read_sealed(load_id);
    if (is_state_local(run, package)) package.content.state = {};
    try {
      const load::LoadOutcome outcome = load(run, package);
      warn_of_tables(run, outcome);
      info.finished_at = run.runtime.clock->now();
      fill_load_info(package, outcome, info);
      run.state.set_local("first_run", false);
      settle(run, package.content);
      run.directory->complete_package(load_id, completed(package, outcome, info),
                                      run.options.retention);
    } catch (const Error& error) {
      info.finished_at = run.runtime.clock->now();
      run.fill(info, {load_id});
      step.step_info = info;
      throw Error(error.code(),
                  fmt::format("load package {0}: {1}\nIts rows are kept: the next run loads them, "
                              "or `tidemark pipeline {2} retry`; `tidemark pipeline {2} "
                              "abort-packages` gives them up",
                              load_id, error.message(), run.options.name));
    }
    run.newest_load_id = std::max(run.newest_load_id.value_or(""), load_id);
    run.fill(info, {load_id});
    info.first_run = is_first_run;
    step.step_info = info;
  });
  return info;
}

info::LoadInfo empty_load_info(const RunState& run) {
  info::LoadInfo info;
  fill_destination(run, info);
  info.dataset_name = run.dataset;
  run.fill(info, {});
  return info;
}

}  // namespace tidemark::pipeline
