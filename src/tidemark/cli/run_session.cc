#include "tidemark/cli/run_session.h"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "tidemark/base/error.h"
#include "tidemark/cli/state_backend_options.h"
#include "tidemark/cli/who.h"
#include "tidemark/project/state_backend_settings.h"

namespace tidemark::cli {
namespace {

std::string word_setting(const project::Project& project, std::string_view name) {
  const config::Node value = project.settings().find(name).value;
  return value.is_string() ? value.string() : "";
}

runner::LogFormat log_format(const Console& console, const project::Project& project) {
  if (console.options().json_log) return runner::LogFormat::kJson;
  const auto format = runner::find_log_format(word_setting(project, "cli.log_format"));
  const auto wanted = format.value_or(runner::LogFormat::kColored);
  const bool is_plain_console = wanted == runner::LogFormat::kColored && !console.is_colored();
  return is_plain_console ? runner::LogFormat::kUncolored : wanted;
}

runner::RunControl::Deadline deadline_in(std::optional<uint64_t> seconds) {
  if (!seconds) return std::nullopt;
  return std::chrono::steady_clock::now() + std::chrono::seconds(*seconds);
}

runner::Log::Options log_options(const Console& console, const project::Project& project) {
  const auto level = runner::find_log_level(word_setting(project, "cli.log_level"));
  return {.level = console.verbosity() > 0 ? runner::LogLevel::kDebug
                                           : level.value_or(runner::LogLevel::kInfo),
          .format = log_format(console, project),
          .console = [&console](std::string_view text) { console.context().err->write(text); }};
}

}  // namespace

os::Path log_directory(const CliContext& context) {
  const std::string* home = context.environment->find_not_empty("XDG_STATE_HOME");
  const os::Path state =
      home != nullptr ? os::Path(*home) : context.surroundings.home_directory / ".local" / "state";
  return state / "meltano" / "log";
}

std::unique_ptr<state::SystemDatabase> open_system_database(
    const state::BackendOptions& options, std::function<void(std::string_view text)> notice,
    const state::Context& context) {
  if (options.database_uri.empty()) {
    throw Error(ErrorCode::kInvalid,
                "the setting database_uri is empty: runs are recorded in the system database");
  }
  return std::make_unique<state::SystemDatabase>(
      state::SystemDatabaseOptions{
          .uri = options.database_uri,
          .directory = options.project_root,
          .max_retries = options.database_max_retries,
          .retry_interval = options.database_retry_timeout,
          .notice = std::move(notice),
      },
      context);
}

RunSession::RunSession(const Console& console, const project::Project& project,
                       std::optional<uint64_t> timeout)
    : project_(project),
      log_(log_options(console, project), *console.context().clock),
      control_(*console.context().cancellation, deadline_in(timeout)),
      clock_(*console.context().clock),
      random_(*console.context().random),
      sleeper_(*console.context().sleeper) {}

runner::RunContext RunSession::context() {
  return {.project = project_,
          .log = log_,
          .control = control_,
          .clock = clock_,
          .random = random_,
          .sleeper = sleeper_};
}

RunStores::RunStores(const Console& console, const runner::RunContext& context,
                     const StateStoreOptions& options)
    : console_(console),
      state_context_{.clock = *console.context().clock,
                     .sleeper = *console.context().sleeper,
                     .random = *console.context().random,
                     .processes = *console.context().processes,
                     .cancellation = never_},
      options_(backend_options(
          project::read_state_backend_settings(context.project.settings(store_overrides(options))),
          context.project.root(), cache_directory(console.context()))),
      backend_(state::open_backend(options_, *console.context().environment, state_context_)),
      database_(open_system_database(
          options_, [&log = context.log](std::string_view text) { log.info(text); },
          state_context_)) {
  records_ = std::make_unique<state::RunRecords>(*database_, job_trigger(console.context()),
                                                 state_context_);
}

runner::LineStores RunStores::stores() {
  return {.backend = backend_,
          .records = *records_,
          .context = state_context_,
          .who = who_works(console_.context()),
          .log_directory = log_directory(console_.context())};
}

}  // namespace tidemark::cli
