#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/commands.h"
#include "tidemark/cli/project_access.h"
#include "tidemark/config/yaml.h"
#include "tidemark/json/write.h"
#include "tidemark/project/blocks.h"
#include "tidemark/project/named_entries.h"
#include "tidemark/project/python_literal.h"

namespace tidemark::cli {
namespace {

constexpr std::string_view kJobs = "jobs";

// Tasks are a list; one text alone is a list of it.
json::Value read_tasks(const std::string& text) {
  json::Value tasks = config::read_yaml(text, "--tasks").to_json();
  return tasks.is_array() ? tasks : json::Value(json::Array{std::move(tasks)});
}

void check_tasks(const project::Project& project, const std::string& name,
                 const json::Value& tasks) {
  try {
    project::parse_blocks(project, project::task_words(config::Node::from_json(tasks)));
  } catch (Error& error) {
    error.add_context(fmt::format("Job '{}' has invalid tasks", name));
    throw;
  }
}

json::Value shown_json(const config::Node& job) {
  const auto tasks = job.optional_node("tasks");
  return json::Object{{"job_name", job.require("name").string()},
                      {"tasks", tasks ? tasks->to_json() : json::Value(json::Array())}};
}

std::string shown_text(const config::Node& job) {
  const auto tasks = job.optional_node("tasks");
  return fmt::format("{}: {}\n", job.require("name").string(),
                     project::python_literal(tasks ? tasks->to_json() : json::Array()));
}

ExitCode list(const Console& console, const project::Project& project,
              const JobListArguments& verb) {
  const bool is_json = console.is_json() || verb.format == "json";
  if (verb.name) {
    const auto job = project::find_entry(project, kJobs, *verb.name);
    if (!job) {
      console.note(fmt::format("Job '{}' does not exist.", *verb.name));
      return kDone;
    }
    console.result(is_json ? json::write_python_pretty(shown_json(*job)) : shown_text(*job));
    return kDone;
  }
  json::Array all;
  std::string text;
  const auto jobs = project.document().optional_node(kJobs);
  for (const config::Node& job : jobs ? jobs->items() : std::vector<config::Node>()) {
    all.push_back(shown_json(job));
    text += shown_text(job);
  }
  if (is_json) {
    console.result(json::write_python_pretty(json::Object{{"jobs", std::move(all)}}));
  } else if (!text.empty()) {
    console.result(text);
  }
  return kDone;
}

ExitCode write(const Console& console, const project::Project& project,
               const JobWriteArguments& verb) {
  const json::Value tasks = read_tasks(verb.tasks);
  const bool is_there = project::find_entry(project, kJobs, verb.name).has_value();
  if (verb.is_new && is_there) {
    throw Error(ErrorCode::kInvalid, fmt::format("Job '{}' already exists.", verb.name));
  }
  if (!verb.is_new && !is_there) {
    throw Error(ErrorCode::kNotFound, fmt::format("Job '{}' was not found.", verb.name));
  }
  check_tasks(project, verb.name, tasks);
  project::ProjectWriter writer = open_writer(console, project);
  project::NamedEntries jobs(project, writer, {std::string(kJobs)});
  if (verb.is_new) {
    jobs.add({{"name", verb.name}, {"tasks", tasks}});
  } else {
    jobs.set(verb.name, {{"tasks", tasks}}, {});
  }
  console.result(fmt::format("{} job {}: {}", verb.is_new ? "Added" : "Updated", verb.name,
                             project::python_literal(tasks)));
  return kDone;
}

ExitCode remove(const Console& console, const project::Project& project,
                const JobRemoveArguments& verb) {
  project::ProjectWriter writer = open_writer(console, project);
  if (!project::NamedEntries(project, writer, {std::string(kJobs)}).remove(verb.name)) {
    throw Error(ErrorCode::kNotFound, fmt::format("Job '{}' was not found.", verb.name));
  }
  console.result(fmt::format("Removed job '{}'.", verb.name));
  return kDone;
}

}  // namespace

ExitCode run_job(const Console& console, const JobArguments& arguments) {
  const project::Project project = open_project(console, project::EnvironmentUse::kExplicit);
  if (const auto* verb = std::get_if<JobListArguments>(&arguments)) {
    return list(console, project, *verb);
  }
  if (const auto* verb = std::get_if<JobWriteArguments>(&arguments)) {
    return write(console, project, *verb);
  }
  return remove(console, project, std::get<JobRemoveArguments>(arguments));
}

}  // namespace tidemark::cli
