#pragma once

#include <string_view>

#include "tidemark/cli/arguments.h"
#include "tidemark/cli/console.h"
#include "tidemark/cli/exit_code.h"

namespace tidemark::cli {

// The commands, each in a file of its name. They throw Error for what fails; run_cli.cc shows it.
ExitCode list_pipelines(const Console& console);
ExitCode run(const Console& console, const RunArguments& arguments);
ExitCode el(const Console& console, const ElArguments& arguments);
ExitCode install(const Console& console, const InstallArguments& arguments);
// The exit code may be any: it is the plugin's.
ExitCode invoke(const Console& console, const InvokeArguments& arguments);
ExitCode add_plugins(const Console& console, const AddArguments& arguments);
ExitCode remove_plugins(const Console& console, const RemoveArguments& arguments);
ExitCode run_select(const Console& console, const SelectArguments& arguments);
ExitCode run_logs(const Console& console, const LogsArguments& arguments);
ExitCode run_job(const Console& console, const JobArguments& arguments);
ExitCode run_schedule(const Console& console, const ScheduleArguments& arguments);
ExitCode ingest(const Console& console, const IngestArguments& arguments);
ExitCode init(const Console& console, const InitArguments& arguments);
ExitCode run_state(const Console& console, const StateArguments& arguments);
ExitCode show_completion(const Console& console, const CompletionArguments& arguments);
ExitCode complete(const Console& console, const CompleteArguments& arguments);
ExitCode run_config(const Console& console, const ConfigArguments& arguments);

// Verbs of `pipeline NAME`.
ExitCode show_info(const Console& console, std::string_view pipeline);
ExitCode show_trace(const Console& console, std::string_view pipeline);
ExitCode show_load_package(const Console& console, std::string_view pipeline,
                           const LoadPackageArguments& arguments);
ExitCode show_schema(const Console& console, std::string_view pipeline,
                     const SchemaArguments& arguments);
ExitCode show_failed_jobs(const Console& console, std::string_view pipeline);
ExitCode query(const Console& console, std::string_view pipeline, const QueryArguments& arguments);
ExitCode sync(const Console& console, std::string_view pipeline, const SyncArguments& arguments);
ExitCode drop(const Console& console, std::string_view pipeline, const DropArguments& arguments);
ExitCode abort_packages(const Console& console, std::string_view pipeline);
ExitCode retry(const Console& console, std::string_view pipeline);

}  // namespace tidemark::cli
