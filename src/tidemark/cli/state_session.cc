#include "tidemark/cli/state_session.h"

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/project_access.h"
#include "tidemark/cli/state_backend_options.h"
#include "tidemark/cli/state_id.h"
#include "tidemark/cli/who.h"
#include "tidemark/project/project_settings.h"

namespace tidemark::cli {
namespace {

// Without a project the settings are what flags and the environment say.
project::LayeredSettings settings_of(const Console& console, const StateStoreOptions& options,
                                     const std::optional<project::Project>& project) {
  if (project) {
    return project->settings(store_overrides(options));
  }
  const project::Variables environment{.values = *console.context().environment};
  return project::project_settings(config::Node::map({}), environment, {},
                                   store_overrides(options));
}

state::Author author_of(const CliContext& context, std::string_view operation) {
  return {.who = who_works(context), .operation = std::string(operation)};
}

state::Context context_of(const CliContext& context) {
  return {.clock = *context.clock,
          .sleeper = *context.sleeper,
          .random = *context.random,
          .processes = *context.processes,
          .cancellation = *context.cancellation};
}

}  // namespace

StateSession::Target StateSession::find_target(const Console& console,
                                               const StateStoreOptions& options) {
  const auto project = find_project(console, project::EnvironmentUse::kExplicit);
  const project::StateBackendSettings settings =
      project::read_state_backend_settings(settings_of(console, options, project));
  // The default is a file in the folder of the project.
  const bool has_database =
      settings.database_uri && settings.database_uri->origin != project::kDefaultOrigin;
  const bool names_store = settings.uri.value.reveal() != "systemdb" || has_database;
  if (!project && !names_store) {
    throw Error(
        ErrorCode::kNotFound,
        "there is no project here: neither tidemark.yml nor meltano.yml in this folder or one "
        "above it; --state-backend-uri names a store without one");
  }
  const os::Path& root =
      project ? project->root() : console.context().surroundings.current_directory;
  return {.options = backend_options(settings, root, cache_directory(console.context())),
          .environment = project ? project->environment_name() : std::nullopt,
          .system_directory = project ? std::optional(project->system_directory()) : std::nullopt};
}

StateSession::StateSession(const Console& console, const StateStoreOptions& options,
                           std::string_view operation)
    : console_(console),
      context_(context_of(console.context())),
      author_(author_of(console.context(), operation)),
      target_(find_target(console, options)),
      backend_(state::open_backend(target_.options, *console.context().environment, context_)),
      service_(backend_, author_, context_) {
  if (console.verbosity() > 0) {
    console.note(
        fmt::format("using the {} state backend {}", states().label(), states().describe()));
  }
}

state::Backend StateSession::open(const std::string& uri) const {
  state::BackendOptions options = target_.options;
  options.uri = Secret(uri);
  return state::open_backend(options, *console_.context().environment, context_);
}

os::Path StateSession::unsaved_directory() const {
  if (!target_.system_directory) {
    throw Error(ErrorCode::kNotFound,
                "what runs could not save is in the folder of their project; there is none here");
  }
  return state::unsaved_directory(*target_.system_directory);
}

void StateSession::warn_of_environment(std::string_view id) const {
  cli::warn_of_environment(console_, id, target_.environment);
}

void StateSession::record_edit(std::string_view id, const json::Value& payload,
                               state::PayloadFlags flags) {
  const state::BackendOptions& options = target_.options;
  if (options.database_uri.empty()) return;
  try {
    state::SystemDatabase database({.uri = options.database_uri,
                                    .directory = options.project_root,
                                    .max_retries = options.database_max_retries,
                                    .retry_interval = options.database_retry_timeout},
                                   context_);
    state::RunRecords(database, job_trigger(console_.context()), context_)
        .insert_state_edit(id, payload, flags);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kCancelled) throw;
    console_.warning(fmt::format("the edit of state {} is not recorded in the system database: {}",
                                 id, error.message()));
  }
}

}  // namespace tidemark::cli
