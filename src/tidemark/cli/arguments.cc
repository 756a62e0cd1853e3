#include "tidemark/cli/arguments.h"

#include "tidemark/cli/command_line.h"
#include "tidemark/cli/parse_commands.h"

namespace tidemark::cli {
namespace {

std::vector<OptionSpec> common_options(CommonOptions& common, std::string& log_format) {
  return {
      {"-v,--verbose", &common.verbosity, "Show more; twice for everything"},
      {"-y,--yes", &common.assume_yes, "Answer every confirmation with yes"},
      {"--no-color", &common.no_color, "No colours; the variable NO_COLOR does the same"},
      {"--json", &common.json, "Results as JSON"},
      {.names = "--log-format",
       .target = &log_format,
       .help = "Form of messages",
       .choices = {"text", "json"}},
      {"--pipelines-dir", &common.pipelines_dir, "Where working directories of pipelines lie"},
      {.names = "--environment",
       .target = &common.environment,
       .help = "Environment of the project that counts",
       .thing = NamedThing::kEnvironment},
      {.names = "--no-environment",
       .target = &common.no_environment,
       .help = "No environment, also no default one",
       .excludes = "--environment"},
      {"--env-file", &common.env_file, "File to read instead of the project's .env"},
  };
}

}  // namespace

CommandSpec program_spec(CommonOptions& common, std::string& log_format) {
  return {.name = "tidemark",
          .help = "Moves data from sources into databases and remembers how far it got.",
          .options = common_options(common, log_format),
          .commands = {run_spec(), el_spec(), elt_spec(), install_spec(), invoke_spec(), add_spec(),
                       remove_spec(), select_spec(), logs_spec(), job_spec(), schedule_spec(),
                       ingest_spec(), init_spec(), pipeline_spec(), state_spec(), config_spec(),
                       completion_spec(), complete_spec()}};
}

Arguments parse_arguments(const std::vector<std::string>& args) {
  Arguments arguments{{}, Answer{}};
  std::string log_format = "text";
  const CommandSpec program = program_spec(arguments.common, log_format);
  arguments.command = parse_command_line(program, args);
  arguments.common.json_log = log_format == "json";
  return arguments;
}

}  // namespace tidemark::cli
