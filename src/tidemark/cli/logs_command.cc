#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/datetime.h"
#include "tidemark/base/error.h"
#include "tidemark/base/uuid.h"
#include "tidemark/cli/commands.h"
#include "tidemark/cli/project_access.h"
#include "tidemark/cli/run_session.h"
#include "tidemark/cli/state_backend_options.h"
#include "tidemark/json/write.h"
#include "tidemark/os/files.h"
#include "tidemark/project/state_backend_settings.h"
#include "tidemark/state/run_records.h"

namespace tidemark::cli {
namespace {

using state::RunSummary;

constexpr size_t kShownRuns = 10;

std::vector<RunSummary> newest_runs(const Console& console, size_t most) {
  const project::Project project = open_project(console, project::EnvironmentUse::kExplicit);
  const CliContext& cli = console.context();
  const state::Context context{.clock = *cli.clock,
                               .sleeper = *cli.sleeper,
                               .random = *cli.random,
                               .processes = *cli.processes,
                               .cancellation = *cli.cancellation};
  const state::BackendOptions options =
      backend_options(project::read_state_backend_settings(project.settings()), project.root(),
                      cache_directory(cli));
  const auto database =
      open_system_database(options, [&](std::string_view text) { console.note(text); }, context);
  return state::RunRecords(*database, "", context).newest(most);
}

std::optional<double> duration_of(const RunSummary& run) {
  if (!run.started_at || !run.ended_at) return std::nullopt;
  return std::chrono::duration<double>(*run.ended_at - *run.started_at).count();
}

json::Value time_json(const std::optional<Time>& time) {
  return time ? json::Value(format_iso(*time)) : json::Value();
}

std::string list_json(const std::vector<RunSummary>& runs) {
  json::Array all;
  for (const RunSummary& run : runs) {
    const std::optional<double> duration = duration_of(run);
    all.emplace_back(
        json::Object{{"log_id", run.run_id},
                     {"job_name", run.id},
                     {"state", run.state},
                     {"started_at", time_json(run.started_at)},
                     {"ended_at", time_json(run.ended_at)},
                     {"duration_seconds", duration ? json::Value(*duration) : json::Value()},
                     {"trigger", run.trigger}});
  }
  const auto total = static_cast<int64_t>(all.size());
  return json::write_python_pretty(json::Object{{"runs", std::move(all)}, {"total", total}});
}

std::string list_text(const std::vector<RunSummary>& runs) {
  std::string text;
  for (const RunSummary& run : runs) {
    const std::optional<double> duration = duration_of(run);
    text += fmt::format("{}  {:7}  {:.19}  {:>9}  {}\n", run.run_id, run.state,
                        run.started_at ? format_iso(*run.started_at, ' ') : "",
                        duration ? fmt::format("{:.1f}s", *duration) : "", run.id);
  }
  return text;
}

ExitCode run_verb(const Console& console, const LogsListArguments& verb) {
  const auto runs =
      newest_runs(console, verb.limit ? static_cast<size_t>(*verb.limit) : kShownRuns);
  if (console.is_json() || verb.format == "json") {
    console.result(list_json(runs));
  } else if (runs.empty()) {
    console.note("No runs found.");
  } else {
    console.result(list_text(runs));
  }
  return kDone;
}

std::string wanted_run(const Console& console, const LogsShowArguments& verb) {
  if (verb.run_id) {
    if (const auto id = read_uuid(*verb.run_id)) return *id;
    throw Error(ErrorCode::kInvalid, fmt::format("{} is not a valid UUID", *verb.run_id));
  }
  const std::vector<RunSummary> runs = newest_runs(console, 1);
  if (runs.empty()) throw Error(ErrorCode::kNotFound, "no run is recorded in the system database");
  return runs.front().run_id;
}

// One for each set of the run: `<state ID>/<run ID>/elt.log`.
std::vector<os::Path> logs_of(const os::Path& directory, const std::string& run_id) {
  std::vector<os::Path> logs;
  for (const std::string& name : os::list_directory(directory)) {
    os::Path file = directory / name / run_id / "elt.log";
    if (os::path_exists(file)) logs.push_back(std::move(file));
  }
  return logs;
}

std::string tail_of(const std::string& text, const std::optional<uint64_t>& lines) {
  if (!lines) return text;
  size_t start = text.size();
  for (uint64_t i = 0; i < *lines && start > 0; ++i) {
    const size_t end = start < 2 ? std::string::npos : text.rfind('\n', start - 2);
    start = end == std::string::npos ? 0 : end + 1;
  }
  return text.substr(start);
}

ExitCode run_verb(const Console& console, const LogsShowArguments& verb) {
  const std::string run_id = wanted_run(console, verb);
  const os::Path directory = log_directory(console.context()) / "elt";
  const std::vector<os::Path> files = logs_of(directory, run_id);
  if (files.empty()) {
    throw Error(ErrorCode::kNotFound,
                fmt::format("there is no log of the run {} in {}; 'tidemark logs list' shows the "
                            "runs of this project",
                            run_id, directory.native()));
  }
  const bool is_json = console.is_json() || verb.format == "json";
  json::Array logs;
  for (const os::Path& file : files) {
    const std::string text = tail_of(os::read_file(file), verb.tail);
    if (is_json) {
      logs.emplace_back(json::Object{{"file", file.native()}, {"text", text}});
      continue;
    }
    if (files.size() > 1) console.result(fmt::format("==> {} <==", file.native()));
    if (!text.empty()) console.result(text);
  }
  if (is_json) {
    console.result(
        json::write_python_pretty(json::Object{{"log_id", run_id}, {"logs", std::move(logs)}}));
  }
  return kDone;
}

ExitCode run_verb(const Console& console, const LogsDirectoryArguments&) {
  console.result(log_directory(console.context()).native());
  return kDone;
}

}  // namespace

ExitCode run_logs(const Console& console, const LogsArguments& arguments) {
  return std::visit([&](const auto& verb) { return run_verb(console, verb); }, arguments);
}

}  // namespace tidemark::cli
