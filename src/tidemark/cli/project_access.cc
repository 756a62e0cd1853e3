#include "tidemark/cli/project_access.h"

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/destination/registry.h"
#include "tidemark/project/discovery.h"

namespace tidemark::cli {
namespace {

// Nothing when neither was given; empty for none at all.
std::optional<std::string> environment_flag(const CommonOptions& options) {
  return options.no_environment ? std::optional<std::string>("") : options.environment;
}

}  // namespace

std::optional<project::Project> find_project(const Console& console, project::EnvironmentUse use) {
  const CliContext& context = console.context();
  const auto& current = context.surroundings.current_directory;
  const auto file = project::find_project_file(*context.environment, current);
  if (!file) {
    return std::nullopt;
  }
  const std::optional<std::string>& env_file = console.options().env_file;
  return project::Project::load(
      {.file = *file,
       .environment = *context.environment,
       .env_file = env_file ? std::optional<os::Path>(*env_file) : std::nullopt,
       .environment_choice = {.use = use, .flag = environment_flag(console.options())},
       .destination_types = destination::destination_types()});
}

project::Project open_project(const Console& console, project::EnvironmentUse use) {
  std::optional<project::Project> project = find_project(console, use);
  if (!project) {
    throw Error(
        ErrorCode::kNotFound,
        "there is no tidemark.yml or meltano.yml here or above; 'tidemark init' writes one");
  }
  const bool leaves_default_out = use == project::EnvironmentUse::kExplicit &&
                                  !project->environment_name() &&
                                  !environment_flag(console.options());
  if (leaves_default_out) {
    const config::Node name = project->settings().find("default_environment").value;
    if (name.is_string() && !name.string().empty()) {
      console.note(
          fmt::format("the default environment '{0}' plays no part here; "
                      "--environment={0} chooses it",
                      name.string()));
    }
  }
  return std::move(*project);
}

project::ProjectWriter open_writer(const Console& console, const project::Project& project) {
  const CliContext& context = console.context();
  return {project, *context.random, *context.sleeper, *context.cancellation};
}

}  // namespace tidemark::cli
