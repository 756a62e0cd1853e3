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

Node read_documents(const os::Path& file, const os::Path& root) {
  Node document = read_document(file, root);
  const std::optional<Node> include_paths = document.optional_node("include_paths");
  if (!include_paths) return document;
  for (const os::Path& included : find_included_files(*include_paths, root, file)) {
    document = merge_documents(document, read_document(included, root));
  }
  return document;
}

// Values of an `env:` map as Meltano makes texts of them.
Variables variables_of(const Node& env) {
  os::Environment::Variables values;
  Variables variables;
  for (const Node::Member& member : env.members()) {
    const Node& node = member.value;
    if (node.is_null()) continue;
    const json::Value& value = node.value();
    if (value.is_bool()) {
      values[member.key] = value.as_bool() ? "True" : "False";
    } else {
      values[member.key] = value.is_number() ? value.as_number().text() : value.as_string();
    }
    variables.places[member.key] = node.position();
  }
  variables.values = os::Environment(std::move(values));
  return variables;
}

Variables read_dotenv_file(const os::Path& root, const Project::Options& options) {
  const os::Path file = root / options.env_file.value_or(".env");
  const std::optional<std::string> text = os::read_file_if_exists(file);
  if (!text) return {};
  return read_dotenv(*text, file.lexically_relative(root).native(), options.environment);
}

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

Project Project::load(Options options) {
  Project project;
  project.root_ = options.file.parent_path();
  project.document_ = read_documents(options.file, project.root_);
  project.destination_types_ = options.destination_types;
  project.read_environment(options);
  project.validate();
  return project;
}

void Project::read_environment(const Options& options) {
  const os::Environment& process = options.environment;
  const std::string* system_directory = process.find_not_empty("MELTANO_SYS_DIR_ROOT");
  system_directory_ = root_ / (system_directory == nullptr ? ".meltano" : *system_directory);
  dotenv_ = read_dotenv_file(root_, options);

  os::Environment::Variables own = process.variables();
  own["MELTANO_PROJECT_ROOT"] = root_.native();
  own["MELTANO_SYS_DIR_ROOT"] = system_directory_.native();
  const std::optional<Node> env = document_.optional_node("env");
  const Variables top_level = env ? variables_of(*env) : Variables();

  setting_variables_ = overlay({os::Environment(own)}, top_level);
  const Node default_environment = settings().find("default_environment").value;
  environment_name_ = choose_environment(
      options.environment_choice, process, dotenv_.values,
      default_environment.is_null() ? std::string() : default_environment.string());
  own["MELTANO_ENVIRONMENT"] = environment_name_.value_or("");
  setting_variables_ = overlay({os::Environment(std::move(own))}, top_level);
  environment_ = overlay(dotenv_.values, setting_variables_.values);
  if (environment_name_) add_active_environment();
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
  return project_settings(document_, setting_variables_, dotenv_, overrides);
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
