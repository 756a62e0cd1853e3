#include "tidemark/project/project.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "tidemark/config/expand.h"
#include "tidemark/config/nearest.h"
#include "tidemark/config/yaml.h"
#include "tidemark/project/dotenv.h"
#include "tidemark/project/include_paths.h"
#include "tidemark/project/project_settings.h"
#include "tidemark/project/required_version.h"

namespace tidemark::project {
namespace {

using config::Node;

// The elements of a list that may be missing or null.
std::vector<Node> items_of(const Node& map, std::string_view key) {
  const std::optional<Node> list = map.optional_node(key);
  return list ? list->items() : std::vector<Node>();
}

Node read_document(const os::Path& file, const os::Path& root) {
  Node document = config::read_yaml(os::read_file(file), file.lexically_relative(root).native());
  if (document.is_null()) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("{} is empty; `tidemark init` writes one that works", file.native()));
  }
  document.members();  // asserts a map
  return document;
}

// The project may ask for versions of Meltano that do what tidemark does not.
void check_required_version(const Node& document) {
  const std::optional<Node> required = document.optional_node("requires_meltano");
  if (!required) return;
  bool is_met = false;
  try {
    is_met = allows_version(required->string(), kMeltanoVersion);
  } catch (const Error& error) {
    throw required->error(error.message());
  }
  if (is_met) return;
  throw required->error(
      fmt::format("the project asks for Meltano {}; tidemark does what Meltano {} does",
                  required->string(), kMeltanoVersion));
}

// Throws when two included files have an entry of one name: which of them counted would be a matter
// of chance. An entry of the project file itself comes first and hides theirs.
class IncludedNames {
 public:
  void add(const Node& document) {
    if (const std::optional<Node> plugins = document.optional_node("plugins")) {
      for (const Node::Member& type : plugins->members()) add_all(*plugins, type.key);
    }
    for (std::string_view key : {"schedules", "environments", "jobs"}) add_all(document, key);
  }

 private:
  void add_all(const Node& map, std::string_view key) {
    for (const Node& entry : items_of(map, key)) {
      const Node name = entry.require("name");
      const auto [earlier, is_new] =
          names_.try_emplace(fmt::format("{} {}", key, name.string()), name);
      if (is_new || earlier->second.position().file == name.position().file) continue;
      throw name.error(fmt::format("'{}' is there already, at {}", name.string(),
                                   to_string(earlier->second.position())));
    }
  }

  std::map<std::string, Node> names_;
};

// Throws when a name is there twice: a block of `run` must mean one thing.
class Namespace {
 public:
  void add(const Node& entry, std::string_view kind) {
    const Node name = entry.require("name");
    const auto [earlier, is_new] =
        names_.try_emplace(name.string(), Owner{std::string(kind), name});
    if (is_new) return;
    throw name.error(fmt::format("the {} '{}' has the name of the {} at {}", kind, name.string(),
                                 earlier->second.kind, to_string(earlier->second.name.position())));
  }

 private:
  struct Owner {
    std::string kind;
    Node name;
  };
  std::map<std::string, Owner> names_;
};

// Plugins of different types may share a name in Meltano, so they are no clash among themselves.
void check_against(const Node& entry, std::string_view kind, const std::vector<Node>& pipelines) {
  const std::optional<Node> name = entry.is_map() ? entry.optional_node("name") : std::nullopt;
  if (!name || !name->is_string()) return;
  for (const Node& pipeline : pipelines) {
    const Node pipeline_name = pipeline.require("name");
    if (pipeline_name.string() != name->string()) continue;
    throw pipeline_name.error(fmt::format("the pipeline '{}' has the name of the {} at {}",
                                          name->string(), kind, to_string(name->position())));
  }
}

void check_plugins(const Node& plugins, const std::vector<Node>& pipelines) {
  for (const Node::Member& type : plugins.members()) {
    if (!type.value.is_list()) continue;
    for (const Node& plugin : type.value.items()) {
      check_against(plugin, "plugin", pipelines);
      if (!plugin.is_map()) continue;
      for (const Node& mapping : items_of(plugin, "mappings")) {
        check_against(mapping, "mapping", pipelines);
      }
    }
  }
}

}  // namespace

Project Project::load(const Options& options) {
  Project project;
  project.root_ = options.file.parent_path();
  project.read_files(options.file);
  project.destination_types_ = options.destination_types;
  project.read_environment(options);
  project.validate();
  return project;
}

void Project::read_files(const os::Path& file) {
  files_ = {file};
  document_ = read_document(file, root_);
  check_required_version(document_);
  const std::optional<Node> include_paths = document_.optional_node("include_paths");
  if (!include_paths) return;
  IncludedNames names;
  for (os::Path& included : find_included_files(*include_paths, root_, file)) {
    const Node document = read_document(included, root_);
    names.add(document);
    document_ = merge_documents(document_, document);
    files_.push_back(std::move(included));
  }
}

void Project::read_environment(const Options& options) {
  process_variables_ = {options.environment};
  const std::string* system_directory = options.environment.find_not_empty("MELTANO_SYS_DIR_ROOT");
  system_directory_ = root_ / (system_directory == nullptr ? ".meltano" : *system_directory);
  dotenv_file_ = root_ / options.env_file.value_or(".env");
  if (const std::optional<std::string> text = os::read_file_if_exists(dotenv_file_)) {
    dotenv_ =
        read_dotenv(*text, dotenv_file_.lexically_relative(root_).native(), options.environment);
  }

  set_own_variables();
  const Node default_environment = settings().find("default_environment").value;
  environment_name_ = choose_environment(
      options.environment_choice, options.environment, dotenv_.values,
      default_environment.is_null() ? std::string() : default_environment.string());
  set_own_variables();
  environment_ = overlay(overlay(dotenv_.values, options.environment), own_variables_.values);
  if (environment_name_) add_active_environment();
}

void Project::set_own_variables() {
  own_variables_ = {os::Environment{{"MELTANO_PROJECT_ROOT", root_.native()},
                                    {"MELTANO_SYS_DIR_ROOT", system_directory_.native()},
                                    {"MELTANO_ENVIRONMENT", environment_name_.value_or("")},
                                    {"MELTANO_USER_AGENT", "tidemark/" TIDEMARK_VERSION}}};
  if (const std::optional<Node> env = document_.optional_node("env")) {
    own_variables_ = overlay(own_variables_, variables_of(*env));
  }
}

void Project::add_active_environment() {
  const std::optional<Node> entry = active_environment();
  if (!entry) {
    throw Error(ErrorCode::kNotFound,
                fmt::format("Environment '{}' was not found", *environment_name_));
  }
  if (const std::optional<Node> env = entry->optional_node("env")) {
    const Node expanded = config::expand(*env, environment_, config::MissingVariable::kEmpty);
    environment_ = overlay(environment_, variables_of(expanded).values);
  }
}

LayeredSettings Project::settings(const Node& overrides) const {
  return project_settings(document_, overlay(process_variables_, own_variables_), dotenv_,
                          overrides);
}

std::optional<Node> Project::active_environment() const {
  if (!environment_name_) return std::nullopt;
  for (const Node& entry : items_of(document_, "environments")) {
    if (entry.require("name").string() == *environment_name_) return entry;
  }
  return std::nullopt;
}

void Project::validate() const {
  Namespace destinations;
  for (const Node& destination : items_of(document_, "destinations")) {
    destination.require("type");
    destinations.add(destination, "destination");
  }
  Namespace pipeline_names;
  const std::vector<Node> pipelines = items_of(document_, "pipelines");
  for (const Node& pipeline : pipelines) {
    validate_pipeline(pipeline);
    pipeline_names.add(pipeline, "pipeline");
    resolve_destination(pipeline.require("destination"));
  }
  for (const Node& job : items_of(document_, "jobs")) check_against(job, "job", pipelines);
  if (const std::optional<Node> plugins = document_.optional_node("plugins")) {
    check_plugins(*plugins, pipelines);
  }
}

DestinationDefinition Project::resolve_destination(const Node& destination) const {
  if (destination.is_map()) {
    const std::string type = destination.require("type").string();
    return {destination.optional_string("name").value_or(type), destination};
  }
  const std::string word = destination.string();
  std::vector<std::string> names;
  for (const Node& entry : items_of(document_, "destinations")) {
    names.push_back(entry.require("name").string());
    if (names.back() == word) return {word, entry};
  }
  const bool is_type = std::ranges::find(destination_types_, word) != destination_types_.end();
  const bool is_variable = word.find('$') != std::string::npos;
  if (is_type || is_variable) return {word, destination};
  if (const size_t scheme = word.find("://"); scheme != std::string::npos) {
    return {word.substr(0, scheme), destination};
  }
  std::vector<std::string_view> known(names.begin(), names.end());
  known.insert(known.end(), destination_types_.begin(), destination_types_.end());
  throw destination.error(
      fmt::format("unknown destination '{}'{}", word, config::suggestion(word, known)));
}

std::vector<std::string> Project::pipeline_names() const {
  std::vector<std::string> names;
  for (const Node& pipeline : items_of(document_, "pipelines")) {
    names.push_back(pipeline.require("name").string());
  }
  return names;
}

std::optional<PipelineDefinition> Project::find_pipeline(std::string_view name) const {
  for (const Node& entry : items_of(document_, "pipelines")) {
    if (entry.require("name").string() != name) continue;
    PipelineDefinition pipeline = bind_pipeline(entry, environment_);
    const Node destination = pipeline.node.require("destination");
    pipeline.destination = resolve_destination(destination);
    // Only an entry of `destinations:` is still unexpanded: a second pass over the pipeline's own
    // text would take a $ in a password for a variable.
    const bool is_reference = !destination.is_map() && pipeline.destination.node.is_map();
    if (is_reference) {
      pipeline.destination.node =
          config::expand(pipeline.destination.node, environment_, config::MissingVariable::kError);
    }
    return pipeline;
  }
  return std::nullopt;
}

}  // namespace tidemark::project
