#include <algorithm>
#include <initializer_list>
#include <optional>
#include <set>

#include "tidemark/base/error.h"
#include "tidemark/cli/commands.h"
#include "tidemark/cli/completion.h"
#include "tidemark/cli/parse_commands.h"
#include "tidemark/cli/project_access.h"
#include "tidemark/cli/state_session.h"
#include "tidemark/cli/terminal_text.h"
#include "tidemark/cli/workspace.h"

namespace tidemark::cli {
namespace {

using Names = std::set<std::string>;
using Given = std::map<std::string, std::string, std::less<>>;

std::optional<std::string> find(const Given& given, std::string_view option) {
  const auto value = given.find(option);
  return value == given.end() ? std::nullopt : std::optional(value->second);
}

void add_names(const config::Node& map, std::string_view key, Names& names) {
  const std::optional<config::Node> list = map.optional_node(key);
  if (!list || !list->is_list()) return;
  for (const config::Node& entry : list->items()) {
    if (!entry.is_map()) continue;
    const std::optional<config::Node> name = entry.optional_node("name");
    if (name && name->is_string()) names.insert(name->string());
  }
}

void add_plugins(const config::Node& document, Names& names) {
  const std::optional<config::Node> plugins = document.optional_node("plugins");
  if (!plugins || !plugins->is_map()) return;
  for (const config::Node::Member& type : plugins->members()) add_names(*plugins, type.key, names);
}

Names names_of_project(const Console& console, NamedThing thing) {
  Names names;
  if (thing == NamedThing::kSettings) names.insert("meltano");
  const auto project = find_project(console, project::EnvironmentUse::kExplicit);
  if (!project) return names;
  const auto is_one_of = [thing](std::initializer_list<NamedThing> things) {
    return std::ranges::find(things, thing) != things.end();
  };
  const config::Node& document = project->document();
  using enum NamedThing;
  if (is_one_of({kPlugin, kSettings, kBlock})) add_plugins(document, names);
  if (is_one_of({kPipeline, kBlock})) add_names(document, "pipelines", names);
  if (is_one_of({kJob, kBlock})) add_names(document, "jobs", names);
  if (is_one_of({kSchedule})) add_names(document, "schedules", names);
  if (is_one_of({kEnvironment})) add_names(document, "environments", names);
  return names;
}

Names state_ids(const Console& console, const Given& given) {
  StateSession session(console,
                       {.state_backend_uri = find(given, "--state-backend-uri"),
                        .database_uri = find(given, "--database-uri")},
                       "complete");
  Names names;
  session.states().list_whole("", [&](std::string_view id) { names.emplace(id); });
  return names;
}

Names names_of(const Console& console, const Completion& completion) {
  if (completion.thing == NamedThing::kNone) return {};
  if (completion.thing == NamedThing::kStateId) return state_ids(console, completion.given);
  Names names = names_of_project(console, completion.thing);
  if (completion.thing == NamedThing::kPipeline) {
    for (auto& entry : workdir::list_pipelines(pipelines_dir(console))) names.insert(entry.name);
  }
  return names;
}

// What was typed says which project and which store is meant.
CommonOptions options_of(const Given& given) {
  CommonOptions options;
  options.environment = find(given, "--environment");
  options.env_file = find(given, "--env-file");
  options.pipelines_dir = find(given, "--pipelines-dir");
  return options;
}

std::string lines(const Completion& completion, const Names& names) {
  std::string text;
  for (const std::string& word : completion.words) text += completion.front + word + "\n";
  for (const std::string& name : names) {
    // A shell could not be given the others.
    if (!name.starts_with(completion.begun) || terminal_line(name) != name) continue;
    text += completion.front + name + "\n";
  }
  return text;
}

}  // namespace

ExitCode complete(const Console& console, const CompleteArguments& arguments) {
  CommonOptions unused;
  std::string log_format;
  const Completion completion = complete(program_spec(unused, log_format), arguments.words);
  const CommonOptions options = options_of(completion.given);
  Names names;
  try {
    names = names_of(Console(console.context(), options), completion);
  } catch (const Error&) {
    // Whoever presses a key has not asked for a report.
  }
  console.result_part(lines(completion, names));
  return kDone;
}

ExitCode show_completion(const Console& console, const CompletionArguments& arguments) {
  console.result(completion_script(arguments.shell));
  return kDone;
}

}  // namespace tidemark::cli
