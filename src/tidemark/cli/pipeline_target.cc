#include "tidemark/cli/pipeline_target.h"

#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/destination_url.h"
#include "tidemark/cli/pipeline_settings.h"
#include "tidemark/cli/project_access.h"
#include "tidemark/cli/workspace.h"
#include "tidemark/config/nearest.h"
#include "tidemark/destination/registry.h"
#include "tidemark/project/project.h"

namespace tidemark::cli {
namespace {

namespace fs = std::filesystem;

// environment is that of the project, where there is one: .env counts for settings too.
std::shared_ptr<config::SharedSettings> make_settings(const Console& console,
                                                      const PipelineTarget& target,
                                                      const os::Environment& environment) {
  config::Settings::Sources sources =
      config::Settings::read_sources(environment, directories(console, target.directory));
  if (target.definition) {
    sources.project = target.definition->node;
  }
  return std::make_shared<config::SharedSettings>(
      config::Settings(std::move(sources), target.options.name));
}

PipelineTarget unbound_target(const Console& console, std::string_view name) {
  PipelineTarget target;
  target.options.name = name;
  target.options.pipelines_dir = pipelines_dir(console);
  target.directory = console.context().surroundings.current_directory;
  return target;
}

// What a relative file of the destination is against: the project's folder when the project names
// it, else the directory of the first run, as dlt has it.
fs::path data_directory(const Console& console, const PipelineTarget& target,
                        const std::optional<state::PipelineState>& state) {
  const auto recorded = state && !target.definition ? state->initial_cwd() : std::nullopt;
  return recorded ? fs::path(*recorded) : fs::path(directories(console, target.directory).local);
}

// dlt's place for a database of that type: destination.<type>.credentials, a path or URL.
std::optional<std::string> configured_location(const PipelineTarget& target,
                                               const std::string& type) {
  return target.settings->with([&](config::Settings& settings) -> std::optional<std::string> {
    const auto node = settings.find({.key = "credentials", .sections = {"destination", type}});
    return node ? std::optional(node->string()) : std::nullopt;
  });
}

// A type alone means what settings say of it, else dlt's default: a database named after the
// pipeline.
DestinationChoice choose(std::string_view text, const PipelineTarget& target,
                         const fs::path& directory) {
  if (text.find_first_of("./:") != text.npos) {
    return parse_destination(text, directory);
  }
  const std::string type(text);
  if (const auto location = configured_location(target, type)) {
    return parse_destination(*location, directory);
  }
  const fs::path file = directory / fmt::format("{}.{}", target.options.name, type);
  return {type, json::Object{{"path", file.string()}}};
}

DestinationChoice choose(const config::Node& node, const PipelineTarget& target,
                         const fs::path& directory) {
  if (!node.is_map()) {
    return choose(node.string(), target, directory);
  }
  if (const auto url = node.optional_string("url")) {
    return parse_destination(*url, directory);
  }
  DestinationChoice choice = choose(node.require("type").string(), target, directory);
  for (const auto& [key, value, position] : node.members()) {
    if (key == "path") {
      choice.options.set(key, (directory / value.string()).lexically_normal().string());
    } else if (key != "type" && key != "name") {
      choice.options.set(key, value.to_json());
    }
  }
  return choice;
}

// What the last run loaded to, else dlt's default for the type in the state.
DestinationChoice choose(const state::PipelineState& state, const PipelineTarget& target,
                         const fs::path& directory) {
  if (const auto location = state.destination_location()) {
    return parse_destination(*location, directory);
  }
  const std::string_view type = destination::short_type(state.destination_type().value_or(""));
  if (type.empty()) {
    throw Error(ErrorCode::kNotFound,
                fmt::format("the pipeline {} has not loaded anything yet", target.options.name));
  }
  return choose(type, target, directory);
}

DestinationChoice choose_destination(const PipelineTarget& target, const TargetOverride& given,
                                     const std::optional<state::PipelineState>& state,
                                     const fs::path& directory) {
  const std::string& name = target.options.name;
  if (given.destination) {
    return choose(*given.destination, target, directory);
  }
  if (target.definition) {
    return choose(target.definition->destination.node, target, directory);
  }
  if (state) {
    return choose(*state, target, directory);
  }
  throw Error(ErrorCode::kNotFound,
              fmt::format("there is no pipeline {0}, neither in a project file nor in {1}{2}; "
                          "'tidemark pipeline {0} sync --destination … --dataset-name …' brings it "
                          "back from its destination",
                          name, target.options.pipelines_dir.string(),
                          near_pipeline(target.options.pipelines_dir, name)));
}

// An error in what the project says of the destination names the place.
std::shared_ptr<destination::Destination> make_destination(
    const PipelineTarget& target, const TargetOverride& given,
    const std::optional<state::PipelineState>& state, const fs::path& directory) {
  DestinationChoice choice = choose_destination(target, given, state, directory);
  apply_load_workers(target, choice);
  try {
    return destination::make_destination(choice.type, choice.options);
  } catch (const Error& error) {
    if (given.destination || !target.definition) {
      throw;
    }
    throw target.definition->destination.node.error(error.message());
  }
}

void complete(const Console& console, PipelineTarget& target, const TargetOverride& given) {
  pipeline::PipelineOptions& options = target.options;
  const auto state = stored_state(console, options.name);
  options.destination =
      make_destination(target, given, state, data_directory(console, target, state));
  options.dataset = given.dataset.value_or(
      target.definition ? target.definition->dataset.value_or("") : std::string());
  apply_settings(target);
}

}  // namespace

PipelineTarget new_target(const Console& console, std::string_view name) {
  PipelineTarget target = unbound_target(console, name);
  target.settings = make_settings(console, target, *console.context().environment);
  apply_settings(target);
  return target;
}

PipelineTarget find_pipeline(const Console& console, std::string_view name,
                             const TargetOverride& given) {
  PipelineTarget target = unbound_target(console, name);
  const auto project = find_project(console, project::EnvironmentUse::kExplicitOrDefault);
  if (project) {
    target.definition = project->find_pipeline(name);
  }
  if (target.definition) {
    target.directory = project->root();
  }
  target.settings = make_settings(
      console, target, project ? project->environment() : *console.context().environment);
  complete(console, target, given);
  return target;
}

PipelineTarget find_in_project(const Console& console, std::string_view name) {
  const project::Project project =
      open_project(console, project::EnvironmentUse::kExplicitOrDefault);
  if (!project.find_pipeline(name)) {
    const std::vector<std::string> names = project.pipeline_names();
    const std::vector<std::string_view> known(names.begin(), names.end());
    throw Error(
        ErrorCode::kNotFound,
        fmt::format("the project in {} has no pipeline {}{}", project.root().string(), name,
                    known.empty() ? "; 'pipelines:' lists none" : config::suggestion(name, known)));
  }
  return find_pipeline(console, name);
}

pipeline::Runtime runtime(const Console& console, const PipelineTarget& target,
                          extract::ProgressListener* progress) {
  const CliContext& context = console.context();
  pipeline::Runtime runtime;
  runtime.clock = context.clock;
  runtime.random = context.random;
  runtime.cancellation = context.cancellation;
  runtime.progress = progress;
  runtime.sleeper = context.sleeper;
  runtime.secret = [settings = target.settings](std::string_view name) {
    return settings->secret(name);
  };
  runtime.run_dir = directories(console, target.directory).run.string();
  runtime.threads = target.threads;
  return runtime;
}

}  // namespace tidemark::cli
