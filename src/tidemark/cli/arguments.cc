#include "tidemark/cli/arguments.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tidemark/config/nearest.h"
#include <CLI/CLI.hpp>

namespace tidemark::cli {
namespace {

// Each command line is parsed into these; which of them count is decided by the commands that were
// named.
struct Parsed {
  CommonOptions common;
  std::string log_format = "text";
  RunArguments run;
  IngestArguments ingest;
  IngestArguments init;
  bool list_pipelines = false;
  std::string pipeline;
  std::string load_id;
  SchemaArguments schema;
  SyncArguments sync;
  DropArguments drop;
  QueryArguments query;
};

void add_common(CLI::App& app, Parsed& parsed) {
  CommonOptions& common = parsed.common;
  app.set_version_flag("--version", "tidemark " TIDEMARK_VERSION, "Print the version");
  app.add_flag("-v,--verbose", common.verbosity, "Show more; twice for everything");
  app.add_flag("-y,--yes", common.assume_yes, "Answer every confirmation with yes");
  app.add_flag("--no-color", common.no_color, "No colours; the variable NO_COLOR does the same");
  app.add_flag("--json", common.json, "Results as JSON");
  app.add_option("--log-format", parsed.log_format, "Form of messages: text or json")
      ->check(CLI::IsMember({"text", "json"}));
  app.add_option("--pipelines-dir", common.pipelines_dir,
                 "Where working directories of pipelines lie");
}

void add_run(CLI::App& app, RunArguments& run) {
  CLI::App& command = *app.add_subcommand("run", "Run a pipeline of the project");
  command.add_option("PIPELINE", run.pipeline, "Name of a pipeline in tidemark.yml")->required();
  command.add_option("--select", run.select, "Only these resources, separated by commas")
      ->delimiter(',');
  command.add_option("--limit-pages", run.limit_pages,
                     "At most so many pages of each resource; for trying out");
  CLI::Option* full_refresh =
      command.add_flag("--full-refresh", run.full_refresh,
                       "Drop tables and state of the selected resources and load them again");
  command
      .add_option("--refresh", run.refresh,
                  "What to drop first: drop_sources, drop_resources or drop_data")
      ->check(CLI::IsMember({"drop_sources", "drop_resources", "drop_data"}))
      ->excludes(full_refresh);
  command.add_flag("--dev-mode", run.dev_mode, "Load into a new dataset with a time in its name");
  command.add_flag("--dry-run", run.dry_run, "Check the project and say what would run");
}

void add_ingest_options(CLI::App& command, IngestArguments& ingest) {
  command.add_option("--to", ingest.to, "Destination: out.duckdb, duckdb:///out.duckdb, a URL");
  command.add_option("--table", ingest.table, "Name of the table");
  command.add_option("--dataset", ingest.dataset, "Schema of the database");
  command.add_option("--format", ingest.format, "jsonl, json or csv instead of what the name says")
      ->check(CLI::IsMember({"jsonl", "json", "csv"}));
  command.add_option("--key", ingest.key, "Primary key, names separated by commas")->delimiter(',');
  command.add_option("--cursor", ingest.cursor, "Field by which only new rows are taken");
  command
      .add_option("--write-disposition", ingest.write_disposition,
                  "append, replace or merge; merge when there is a key, else append")
      ->check(CLI::IsMember({"append", "replace", "merge"}));
  command.add_option("--limit-pages", ingest.limit_pages, "At most so many pages");
}

void add_drop(CLI::App& pipeline, DropArguments& drop) {
  CLI::App& command =
      *pipeline.add_subcommand("drop", "Drop tables and state of resources, or state alone");
  command.add_option("RESOURCE", drop.resources, "Names of resources, or re:REGEX");
  command.add_flag("--drop-all", drop.drop_all, "All resources");
  command.add_option("--state-paths", drop.state_paths, "JSONPaths of source state to reset");
  command.add_option("--schema", drop.schema, "Schema, when it is not the pipeline's default");
  command.add_flag("--state-only", drop.state_only,
                   "Reset the resources' state, keep their tables");
  command.add_option("--destination", drop.destination, "Where, when nothing local says so");
  command.add_option("--dataset-name", drop.dataset, "Dataset, when nothing local says so");
}

void add_pipeline(CLI::App& app, Parsed& parsed) {
  CLI::App& pipeline = *app.add_subcommand("pipeline", "Look at a pipeline, or work on its state");
  pipeline.add_flag("-l,--list-pipelines", parsed.list_pipelines, "List all pipelines");
  pipeline.add_option("NAME", parsed.pipeline, "Name of the pipeline");
  pipeline.add_subcommand("info", "State, resources, packages (this is the default)");
  pipeline.add_subcommand("trace", "The last run, step by step");
  pipeline.add_subcommand("load-package", "A load package, the newest by default")
      ->add_option("LOAD_ID", parsed.load_id, "As 'info' lists them");
  CLI::App& schema = *pipeline.add_subcommand("schema", "The default schema");
  schema.add_option("--format", parsed.schema.format, "yaml or json")
      ->check(CLI::IsMember({"json", "yaml"}));
  schema.add_flag("--remove-defaults", parsed.schema.remove_defaults, "Leave defaults out");
  CLI::App& sync =
      *pipeline.add_subcommand("sync", "Take state and schemas from the destination again");
  sync.add_option("--destination", parsed.sync.destination, "Where, when nothing local says so");
  sync.add_option("--dataset-name", parsed.sync.dataset, "Dataset, when nothing local says so");
  add_drop(pipeline, parsed.drop);
  pipeline.add_subcommand("failed-jobs", "Failed jobs of all packages with their messages");
  pipeline.add_subcommand("abort-packages", "Give pending packages up and put their cursors back");
  pipeline.add_subcommand("drop-pending-packages")->group("");
  pipeline.add_subcommand("retry", "Finish pending packages, extract nothing");
  CLI::App& query = *pipeline.add_subcommand("query", "Read-only SQL on the dataset");
  query.add_option("SQL", parsed.query.sql, "The statement")->required();
  query.add_flag("--csv", parsed.query.csv, "As CSV");
  pipeline.require_subcommand(0, 1);
}

PipelineVerb pipeline_verb(const CLI::App& pipeline, Parsed& parsed) {
  const auto chosen = pipeline.get_subcommands();
  const std::string verb = chosen.empty() ? "info" : chosen.front()->get_name();
  if (verb == "trace") {
    return TraceArguments{};
  }
  if (verb == "load-package") {
    return LoadPackageArguments{parsed.load_id.empty() ? std::nullopt
                                                       : std::optional(parsed.load_id)};
  }
  if (verb == "schema") {
    return parsed.schema;
  }
  if (verb == "sync") {
    return parsed.sync;
  }
  if (verb == "drop") {
    return parsed.drop;
  }
  if (verb == "failed-jobs") {
    return FailedJobsArguments{};
  }
  if (verb == "abort-packages" || verb == "drop-pending-packages") {
    return AbortPackagesArguments{};
  }
  if (verb == "retry") {
    return RetryArguments{};
  }
  if (verb == "query") {
    return parsed.query;
  }
  return InfoArguments{};
}

bool selects_nothing(const DropArguments& drop) {
  return drop.resources.empty() && !drop.drop_all && drop.state_paths.empty();
}

// The commands that were named, outermost first: the program itself, then its subcommands.
std::vector<const CLI::App*> named_commands(const CLI::App& app) {
  std::vector<const CLI::App*> commands = {&app};
  for (auto chosen = app.get_subcommands(); !chosen.empty();
       chosen = chosen.front()->get_subcommands()) {
    commands.push_back(chosen.front());
  }
  return commands;
}

// As a user types it: "tidemark pipeline NAME drop".
std::string command_line(const std::vector<const CLI::App*>& commands) {
  std::string text;
  for (const CLI::App* command : commands) {
    const bool is_verb = commands.size() > 2 && command == commands.back();
    text +=
        fmt::format("{}{}{}", text.empty() ? "" : " ", is_verb ? "NAME " : "", command->get_name());
  }
  return text;
}

std::string help_text(const CLI::App& app) {
  std::vector<const CLI::App*> commands = named_commands(app);
  const CLI::App& command = *commands.back();
  if (commands.size() == 1) {
    return command.help();
  }
  commands.pop_back();
  std::string text = command.help(command_line(commands) + (commands.size() > 1 ? " NAME" : ""),
                                  CLI::AppFormatMode::Normal);
  text.erase(text.find_last_not_of('\n') + 1);
  return text +
         "\n\n'tidemark --help' lists the options of every command: --json, -v, --yes, "
         "--pipelines-dir ...\n";
}

// What the commands that were named would have taken.
std::vector<std::string> known_words(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> words;
  for (const CLI::App* command : commands) {
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        words.push_back("--" + name);
      }
    }
  }
  const auto verbs = commands.back()->get_subcommands(
      [](const CLI::App* verb) { return !verb->get_group().empty(); });
  for (const CLI::App* verb : verbs) {
    words.push_back(verb->get_name());
  }
  return words;
}

std::string unexpected_words(const CLI::App& app) {
  std::vector<std::string> words = app.remaining(true);
  // CLI11 lists the value of an unknown option before or behind it.
  const auto option =
      std::ranges::find_if(words, [](const std::string& word) { return word.starts_with('-'); });
  const std::string& word = option == words.end() ? words.front() : *option;
  const std::vector<std::string> names = known_words(named_commands(app));
  const std::vector<std::string_view> known(names.begin(), names.end());
  const auto near = config::nearest(word.substr(0, word.find('=')), known);
  return fmt::format("unexpected {} {}{}", word.starts_with('-') ? "option" : "argument", word,
                     near ? fmt::format("; did you mean {}?", *near) : "");
}

Answer usage_error(const CLI::App& app, std::string_view message) {
  return {fmt::format("error: {}\n'{} --help' says what there is\n", message,
                      command_line(named_commands(app))),
          true};
}

Arguments to_arguments(const CLI::App& app, Parsed& parsed) {
  parsed.common.json_log = parsed.log_format == "json";
  Arguments arguments{std::move(parsed.common), Answer{}};
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) {
    arguments.command = Answer{app.help(), true};
  } else if (const std::string command = chosen.front()->get_name(); command == "run") {
    arguments.command = std::move(parsed.run);
  } else if (command == "ingest") {
    arguments.command = std::move(parsed.ingest);
  } else if (command == "init") {
    arguments.command = InitArguments{std::move(parsed.init)};
  } else if (parsed.pipeline.empty() || parsed.list_pipelines) {
    arguments.command = ListArguments{};
  } else if (chosen.front()->got_subcommand("drop") && selects_nothing(parsed.drop)) {
    arguments.command =
        usage_error(app, "say what to drop: names of resources, --drop-all or --state-paths");
  } else {
    arguments.command = PipelineArguments{parsed.pipeline, pipeline_verb(*chosen.front(), parsed)};
  }
  return arguments;
}

}  // namespace

Arguments parse_arguments(const std::vector<std::string>& args) {
  Parsed parsed;
  CLI::App app("Moves data from sources into databases and remembers how far it got.", "tidemark");
  app.fallthrough();
  add_common(app, parsed);
  add_run(app, parsed.run);
  CLI::App& ingest = *app.add_subcommand("ingest", "Load files or an address without a project");
  ingest.add_option("SOURCE", parsed.ingest.source, "Path, glob, - for stdin, or URL")->required();
  add_ingest_options(ingest, parsed.ingest);
  CLI::App& init = *app.add_subcommand("init", "Write a tidemark.yml that does what ingest would");
  init.add_option("SOURCE", parsed.init.source, "Path, glob or URL");
  add_ingest_options(init, parsed.init);
  add_pipeline(app, parsed);
  app.require_subcommand(0, 1);
  try {
    // CLI11 takes the arguments in reverse.
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
  } catch (const CLI::CallForVersion& version) {
    return {parsed.common, Answer{fmt::format("{}\n", version.what()), false}};
  } catch (const CLI::CallForHelp&) {
    return {parsed.common, Answer{help_text(app), false}};
  } catch (const CLI::ExtrasError&) {
    return {parsed.common, usage_error(app, unexpected_words(app))};
  } catch (const CLI::ParseError& error) {
    return {parsed.common, usage_error(app, error.what())};
  }
  return to_arguments(app, parsed);
}

}  // namespace tidemark::cli
