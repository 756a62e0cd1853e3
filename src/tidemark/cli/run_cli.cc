#include "tidemark/cli/run_cli.h"

#include <exception>

#include "tidemark/base/error.h"
#include "tidemark/cli/arguments.h"
#include "tidemark/cli/commands.h"
#include "tidemark/cli/console.h"

namespace tidemark::cli {
namespace {

template <typename... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <typename... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

ExitCode answer(const Console& console, const Answer& text) {
  if (text.is_usage_error) {
    console.note(text.text);
    return kUsage;
  }
  console.result(text.text);
  return kDone;
}

ExitCode run_verb(const Console& console, const PipelineArguments& arguments) {
  const std::string& name = arguments.name;
  return std::visit(
      Overloaded{
          [&](const InfoArguments&) { return show_info(console, name); },
          [&](const TraceArguments&) { return show_trace(console, name); },
          [&](const LoadPackageArguments& verb) { return show_load_package(console, name, verb); },
          [&](const SchemaArguments& verb) { return show_schema(console, name, verb); },
          [&](const SyncArguments& verb) { return sync(console, name, verb); },
          [&](const DropArguments& verb) { return drop(console, name, verb); },
          [&](const FailedJobsArguments&) { return show_failed_jobs(console, name); },
          [&](const AbortPackagesArguments&) { return abort_packages(console, name); },
          [&](const RetryArguments&) { return retry(console, name); },
          [&](const QueryArguments& verb) { return query(console, name, verb); },
      },
      arguments.verb);
}

ExitCode run_command(const Console& console, const Arguments& arguments) {
  return std::visit(
      Overloaded{
          [&](const Answer& text) { return answer(console, text); },
          [&](const RunArguments& command) { return run(console, command); },
          [&](const ElArguments& command) { return el(console, command); },
          [&](const InstallArguments& command) { return install(console, command); },
          [&](const InvokeArguments& command) { return invoke(console, command); },
          [&](const AddArguments& command) { return add_plugins(console, command); },
          [&](const RemoveArguments& command) { return remove_plugins(console, command); },
          [&](const SelectArguments& command) { return run_select(console, command); },
          [&](const LogsArguments& command) { return run_logs(console, command); },
          [&](const JobArguments& command) { return run_job(console, command); },
          [&](const ScheduleArguments& command) { return run_schedule(console, command); },
          [&](const IngestArguments& command) { return ingest(console, command); },
          [&](const InitArguments& command) { return init(console, command); },
          [&](const ListArguments&) { return list_pipelines(console); },
          [&](const PipelineArguments& command) { return run_verb(console, command); },
          [&](const StateArguments& command) { return run_state(console, command); },
          [&](const ConfigArguments& command) { return run_config(console, command); },
          [&](const CompletionArguments& command) { return show_completion(console, command); },
          [&](const CompleteArguments& command) { return complete(console, command); },
      },
      arguments.command);
}

}  // namespace

int run_cli(const std::vector<std::string>& args, const CliContext& context) {
  const Arguments arguments = parse_arguments(args);
  const Console console(context, arguments.common);
  try {
    return run_command(console, arguments);
  } catch (const Error& error) {
    console.error(error.message());
    return exit_code(error.code(), context.cancellation->signal());
  } catch (const std::exception& error) {
    // Nothing but Error should come this far: this is a defect, or memory that ran out.
    console.error(error.what());
    return kFailed;
  }
}

}  // namespace tidemark::cli
