#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/commands.h"
#include "tidemark/cli/project_access.h"
#include "tidemark/cli/run_cli.h"
#include "tidemark/cli/schedule_export.h"
#include "tidemark/json/write.h"
#include "tidemark/project/cron.h"
#include "tidemark/project/named_entries.h"
#include "tidemark/project/variables.h"

namespace tidemark::cli {
namespace {

constexpr std::string_view kSchedules = "schedules";

Error not_found(std::string_view name) {
  return {ErrorCode::kNotFound, fmt::format("Schedule '{}' was not found.", name)};
}

void check_interval(const std::string& interval) {
  if (project::is_interval(interval)) return;
  throw Error(ErrorCode::kInvalid,
              fmt::format("Invalid Cron expression or alias: '{}'. Please use a valid cron "
                          "expression.",
                          interval));
}

// What the program is called with when the schedule is due.
std::vector<std::string> words_of(const config::Node& schedule) {
  if (const auto job = schedule.optional_string("job")) return {"run", *job};
  const std::string transform = schedule.optional_string("transform").value_or("skip");
  std::vector<std::string> words{transform == "skip" ? "el" : "elt",
                                 schedule.require("extractor").string(),
                                 schedule.require("loader").string(),
                                 fmt::format("--state-id={}", schedule.require("name").string())};
  if (transform != "skip") words.push_back("--transform=" + transform);
  return words;
}

std::vector<config::Node> schedules_of(const project::Project& project) {
  const auto schedules = project.document().optional_node(kSchedules);
  return schedules ? schedules->items() : std::vector<config::Node>();
}

std::string interval_of(const config::Node& schedule) {
  return schedule.optional_string("interval").value_or("@manual");
}

json::Value cron_json(const config::Node& schedule) {
  const auto cron = project::cron_of(interval_of(schedule));
  return cron ? json::Value(*cron) : json::Value();
}

json::Value env_json(const config::Node& schedule) {
  const auto env = schedule.optional_node("env");
  return env ? env->to_json() : json::Value(json::Object());
}

json::Value job_json(const project::Project& project, const config::Node& schedule) {
  const std::string job = schedule.require("job").string();
  const auto entry = project::find_entry(project, "jobs", job);
  const auto tasks = entry ? entry->optional_node("tasks") : std::nullopt;
  return json::Object{
      {"name", schedule.require("name").string()},
      {"interval", interval_of(schedule)},
      {"cron_interval", cron_json(schedule)},
      {"env", env_json(schedule)},
      {"job", json::Object{{"name", job},
                           {"tasks", tasks ? tasks->to_json() : json::Value(json::Array())}}}};
}

json::Value elt_json(const config::Node& schedule) {
  const std::string transform = schedule.optional_string("transform").value_or("skip");
  const std::string name = schedule.require("name").string();
  json::Array words{schedule.require("extractor").string(), schedule.require("loader").string(),
                    "--transform=" + transform, "--state-id=" + name};
  return json::Object{{"name", name},
                      {"extractor", words[0]},
                      {"loader", words[1]},
                      {"transform", transform},
                      {"interval", interval_of(schedule)},
                      {"env", env_json(schedule)},
                      {"cron_interval", cron_json(schedule)},
                      {"elt_args", std::move(words)}};
}

std::string json_text(const project::Project& project) {
  json::Array jobs;
  json::Array elts;
  for (const config::Node& schedule : schedules_of(project)) {
    if (schedule.find("job")) {
      jobs.push_back(job_json(project, schedule));
    } else {
      elts.push_back(elt_json(schedule));
    }
  }
  return json::write_python_pretty(json::Object{
      {"schedules", json::Object{{"job", std::move(jobs)}, {"elt", std::move(elts)}}}});
}

// A word for the shell that cron calls; a `%` without a backslash ends the command.
std::string crontab_word(std::string_view word) {
  std::string text = "'";
  for (const char c : word) {
    if (c == '\'') {
      text += "'\\''";
    } else if (c == '%') {
      text += "\\%";
    } else {
      text += c;
    }
  }
  return text + "'";
}

// Lines of a crontab; what cron does not start stands there as a comment.
std::string cron_text(const project::Project& project) {
  std::string text;
  for (const config::Node& schedule : schedules_of(project)) {
    const std::string name = schedule.require("name").string();
    const auto cron = project::cron_of(interval_of(schedule));
    const std::string command =
        fmt::format("cd {} && tidemark schedule run {}", crontab_word(project.root().native()),
                    crontab_word(name));
    text += cron ? fmt::format("{} {}\n", *cron, command)
                 : fmt::format("# {} {}\n", interval_of(schedule), command);
  }
  return text;
}

std::string plain_text(const project::Project& project) {
  std::string text;
  for (const config::Node& schedule : schedules_of(project)) {
    const auto job = schedule.optional_string("job");
    text += fmt::format("[{}] {}: {}\n", interval_of(schedule), schedule.require("name").string(),
                        job ? fmt::format("job {}", *job)
                            : fmt::format("{} to {}", schedule.require("extractor").string(),
                                          schedule.require("loader").string()));
  }
  return text;
}

ExitCode run_verb(const Console& console, const project::Project& project,
                  const ScheduleListArguments& verb) {
  std::string text;
  if (verb.format == "cron") {
    text = cron_text(project);
  } else {
    const bool is_json = console.is_json() || verb.format == "json";
    text = is_json ? json_text(project) : plain_text(project);
  }
  if (!text.empty()) console.result(text);
  return kDone;
}

ExitCode run_verb(const Console& console, const project::Project& project,
                  const ScheduleAddArguments& verb) {
  check_interval(verb.interval);
  if (project::find_entry(project, kSchedules, verb.name)) {
    throw Error(ErrorCode::kInvalid, fmt::format("Schedule '{}' already exists.", verb.name));
  }
  json::Object entry{{"name", verb.name}, {"interval", verb.interval}};
  if (verb.job) {
    if (!project::find_entry(project, "jobs", *verb.job)) {
      throw Error(ErrorCode::kNotFound, fmt::format("Job '{}' was not found.", *verb.job));
    }
    entry.set("job", *verb.job);
  } else {
    entry.set("extractor", *verb.extractor);
    entry.set("loader", *verb.loader);
    entry.set("transform", verb.transform.value_or("skip"));
  }
  project::ProjectWriter writer = open_writer(console, project);
  project::NamedEntries(project, writer, {std::string(kSchedules)}).add(entry);
  console.result(
      fmt::format("Scheduled {} '{}' at {}", verb.job ? "job" : "elt", verb.name, verb.interval));
  return kDone;
}

ExitCode run_verb(const Console& console, const project::Project& project,
                  const ScheduleSetArguments& verb) {
  if (!project::find_entry(project, kSchedules, verb.name)) throw not_found(verb.name);
  if (verb.interval) check_interval(*verb.interval);
  json::Object changed;
  const auto set = [&](std::string_view key, const std::optional<std::string>& value) {
    if (value) changed.set(key, *value);
  };
  set("interval", verb.interval);
  set("job", verb.job);
  set("extractor", verb.extractor);
  set("loader", verb.loader);
  set("transform", verb.transform);
  project::ProjectWriter writer = open_writer(console, project);
  project::NamedEntries(project, writer, {std::string(kSchedules)}).set(verb.name, changed, {});
  console.result(fmt::format("Updated schedule '{}'", verb.name));
  return kDone;
}

ExitCode run_verb(const Console& console, const project::Project& project,
                  const ScheduleRemoveArguments& verb) {
  project::ProjectWriter writer = open_writer(console, project);
  if (!project::NamedEntries(project, writer, {std::string(kSchedules)}).remove(verb.name)) {
    throw not_found(verb.name);
  }
  return kDone;
}

ExitCode run_verb(const Console& console, const project::Project& project,
                  const ScheduleExportArguments& verb) {
  export_schedules(console, project, verb.directory);
  return kDone;
}

// The common options as they were given.
std::vector<std::string> words_of(const CommonOptions& options) {
  std::vector<std::string> words(static_cast<size_t>(options.verbosity), "--verbose");
  const auto add_flag = [&](bool is_given, const char* word) {
    if (is_given) words.emplace_back(word);
  };
  const auto add = [&](const char* name, const std::optional<std::string>& value) {
    if (value) words.push_back(fmt::format("{}={}", name, *value));
  };
  add_flag(options.assume_yes, "--yes");
  add_flag(options.no_color, "--no-color");
  add_flag(options.json, "--json");
  add_flag(options.json_log, "--log-format=json");
  add_flag(options.no_environment, "--no-environment");
  add("--pipelines-dir", options.pipelines_dir);
  add("--environment", options.environment);
  add("--env-file", options.env_file);
  return words;
}

// As the program would be called for it, with the schedule's `env:` over the environment.
ExitCode run_verb(const Console& console, const project::Project& project,
                  const ScheduleRunArguments& verb) {
  const auto schedule = project::find_entry(project, kSchedules, verb.name);
  if (!schedule) throw not_found(verb.name);
  std::vector<std::string> words = words_of(*schedule);
  words.insert(words.end(), verb.words.begin(), verb.words.end());
  const std::vector<std::string> common = words_of(console.options());
  words.insert(words.end(), common.begin(), common.end());
  os::Environment environment = *console.context().environment;
  if (const auto env = schedule->optional_node("env")) {
    environment = project::overlay(environment, project::variables_of(*env).values);
  }
  CliContext context = console.context();
  context.environment = &environment;
  return static_cast<ExitCode>(run_cli(words, context));
}

}  // namespace

ExitCode run_schedule(const Console& console, const ScheduleArguments& arguments) {
  const project::Project project = open_project(console, project::EnvironmentUse::kExplicit);
  return std::visit([&](const auto& verb) { return run_verb(console, project, verb); }, arguments);
}

}  // namespace tidemark::cli
