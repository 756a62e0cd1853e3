#include "tidemark/config/settings.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tidemark/base/ascii.h"
#include "tidemark/config/merge.h"
#include "tidemark/config/toml.h"
#include "tidemark/os/files.h"

namespace tidemark::config {
namespace {

constexpr std::string_view kEnvironment = "Environment Variables";
constexpr std::string_view kProject = "project file";
constexpr std::string_view kSecrets = "secrets.toml";
constexpr std::string_view kConfig = "config.toml";
// A setting that stands in a pipeline's entry outside of any section.
constexpr std::string_view kEntrySetting = "loader_file_format";
constexpr std::string_view kPlaceholder = "<configure me>";
constexpr std::string_view kGlobalPrefix = "global:";
constexpr std::array<std::string_view, 2> kVariablePrefixes{"TIDEMARK_", ""};

// dlt lets a source be named without its module: `sources.shop` beside `sources.shop_module.shop`.
constexpr std::array<std::string_view, 1> kCompactSections{"sources"};

// The paths of sections from the longest to none, the inner section behind each.
std::vector<std::vector<std::string>> section_paths(const SettingName& name) {
  std::vector<std::vector<std::string>> paths;
  std::vector<std::string> sections = name.sections;
  while (true) {
    paths.push_back(sections);
    if (sections.empty()) break;
    sections.pop_back();
  }
  const std::vector<std::string>& all = name.sections;
  if (all.size() >= 3 && all[1] != all[2] &&
      std::ranges::find(kCompactSections, all[0]) != kCompactSections.end()) {
    std::vector<std::string> compact = all;
    compact.erase(compact.begin() + 1);
    // Behind the module's own section, as the second shortest way to name the source.
    paths.insert(paths.begin() + 2, std::move(compact));
  }
  if (!name.inner_section.empty()) {
    for (std::vector<std::string>& path : paths) path.push_back(name.inner_section);
  }
  return paths;
}

// Every part that is not empty, with the separator between.
std::string join_key(std::string_view pipeline, const std::vector<std::string>& sections,
                     std::string_view key, std::string_view separator) {
  std::vector<std::string_view> parts{pipeline};
  parts.insert(parts.end(), sections.begin(), sections.end());
  parts.push_back(key);
  std::erase(parts, std::string_view());
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string variable_name(std::string_view pipeline, const std::vector<std::string>& sections,
                          std::string_view key) {
  return ascii_upper(join_key(pipeline, sections, key, "__"));
}

std::optional<Node> find_in(const Node& document, std::string_view pipeline,
                            const std::vector<std::string>& sections, std::string_view key) {
  std::optional<Node> node = document;
  const auto descend = [&](std::string_view name) {
    if (node && !name.empty()) node = node->is_map() ? node->find(name) : std::nullopt;
  };
  descend(pipeline);
  for (const std::string& section : sections) descend(section);
  descend(key);
  if (node && node->is_null()) return std::nullopt;
  return node;
}

// Map by map; elsewhere over wins.
Node merge(const Node& under, const Node& over) {
  if (over.is_null()) return under;
  if (!over.is_map() || !under.is_map()) return over;
  return Node::map(merge_members(under, over, merge), over.position());
}

Node read_toml_if_exists(const os::Path& file) {
  const std::optional<std::string> text = os::read_file_if_exists(file);
  return text ? read_toml(*text, file.native()) : Node();
}

Node variable_node(const std::string& variable, std::string_view value) {
  auto place = std::make_shared<const std::string>("environment variable " + variable);
  return Node::scalar(value, {.file = std::move(place)});
}

}  // namespace

struct Settings::Found {
  Node value;
  ResolvedSetting origin;
};

// A name with the paths of sections it is looked for under.
struct Settings::Query {
  const SettingName& name;
  std::vector<std::vector<std::string>> paths;

  Found found(Node value, const std::vector<std::string>& path, std::string_view provider,
              std::string location) const {
    return {std::move(value),
            {name.key, path, std::string(provider), std::move(location), name.is_secret}};
  }
};

SettingName setting_name(std::string_view dotted) {
  SettingName name;
  for (size_t dot = dotted.find('.'); dot != dotted.npos; dot = dotted.find('.')) {
    name.sections.emplace_back(dotted.substr(0, dot));
    dotted.remove_prefix(dot + 1);
  }
  name.key = dotted;
  return name;
}

Settings::Sources Settings::read_sources(const os::Environment& environment,
                                         const os::DltDirectories& directories) {
  const auto read_both = [&](std::string_view file) {
    return merge(read_toml_if_exists(directories.global / file),
                 read_toml_if_exists(directories.settings / file));
  };
  Sources sources;
  sources.environment = environment;
  sources.global_directory = directories.global;
  sources.secrets = read_both(kSecrets);
  sources.config = read_both(kConfig);
  return sources;
}

Settings::Settings(Sources sources, std::string pipeline) : sources_(std::move(sources)) {
  if (!pipeline.empty()) scopes_.push_back(std::move(pipeline));
  scopes_.emplace_back();
}

std::optional<Node> Settings::find(const SettingName& name) {
  std::optional<Found> found = search(name);
  if (!found) return std::nullopt;
  if (found->value.is_string() && found->value.value().as_string() == kPlaceholder) {
    throw found->value.error("still the placeholder of a new project");
  }
  resolved_.push_back(std::move(found->origin));
  return std::move(found->value);
}

Node Settings::require(const SettingName& name) {
  std::optional<Node> value = find(name);
  if (!value) throw Error(ErrorCode::kInvalid, describe_tried(name));
  return *std::move(value);
}

Secret Settings::require_secret(SettingName name) {
  name.is_secret = true;
  return require(name).secret();
}

std::optional<Settings::Found> Settings::search(const SettingName& name) const {
  const Query query{name, section_paths(name)};
  std::optional<Found> in_project = search_project(query);
  for (const std::string& scope : scopes_) {
    if (std::optional<Found> found = search_environment(query, scope)) return found;
    if (in_project) continue;
    if (std::optional<Found> found = search_files(query, scope)) return found;
  }
  return in_project;
}

std::optional<Settings::Found> Settings::search_environment(const Query& query,
                                                            std::string_view pipeline) const {
  for (std::string_view prefix : kVariablePrefixes) {
    for (const std::vector<std::string>& path : query.paths) {
      const std::string variable =
          std::string(prefix) + variable_name(pipeline, path, query.name.key);
      std::optional<Node> value;
      if (query.name.is_secret) value = mounted_secret(variable);
      if (const std::string* text = sources_.environment.find(variable);
          text != nullptr && !value) {
        value = variable_node(variable, *text);
      }
      if (value) return query.found(*std::move(value), path, kEnvironment, "");
    }
  }
  return std::nullopt;
}

std::optional<Settings::Found> Settings::search_project(const Query& query) const {
  if (!sources_.project) return std::nullopt;
  for (const std::vector<std::string>& path : query.paths) {
    // Other keys of the entry itself (`name`) are no settings.
    if (path.empty() && query.name.key != kEntrySetting) continue;
    std::optional<Node> value = find_in(*sources_.project, "", path, query.name.key);
    if (value) return query.found(*std::move(value), path, kProject, "");
  }
  return std::nullopt;
}

std::optional<Settings::Found> Settings::search_files(const Query& query,
                                                      std::string_view pipeline) const {
  for (const auto& [document, file] :
       {std::pair(&sources_.secrets, kSecrets), std::pair(&sources_.config, kConfig)}) {
    for (const std::vector<std::string>& path : query.paths) {
      std::optional<Node> value = find_in(*document, pipeline, path, query.name.key);
      if (!value) continue;
      if (query.name.is_secret && file == kConfig) {
        throw value->error(
            fmt::format("a secret; put it into secrets.toml or the environment variable {}",
                        variable_name(pipeline, path, query.name.key)));
      }
      std::string location = location_of(*value, file);
      return query.found(*std::move(value), path, file, std::move(location));
    }
  }
  return std::nullopt;
}

// Kubernetes mounts a secret as a directory with a file of the same name, Docker as a file.
std::optional<Node> Settings::mounted_secret(const std::string& variable) const {
  std::string name = ascii_lower(variable);
  std::ranges::replace(name, '_', '-');
  const os::Path place = sources_.mounted_secrets / name;
  const bool is_directory = os::path_kind(place) == os::PathKind::kDirectory;
  const os::Path file = is_directory ? place / name : place;
  std::optional<std::string> text = os::read_file_if_exists(file);
  if (!text) return std::nullopt;
  // The newline that editors and `echo` leave is no part of a password.
  text->erase(text->find_last_not_of("\r\n") + 1);
  return Node::scalar(*std::move(text),
                      {.file = std::make_shared<const std::string>(file.native())});
}

std::string Settings::location_of(const Node& value, std::string_view file) const {
  const Position& position = value.position();
  const bool is_global =
      position.file && os::Path(*position.file).parent_path() == sources_.global_directory;
  return fmt::format("{}{}", is_global ? kGlobalPrefix : "", file);
}

std::string Settings::describe_tried(const SettingName& name) const {
  std::vector<std::string> variables;
  std::vector<std::string> keys;
  for (const std::string& scope : scopes_) {
    for (const std::vector<std::string>& path : section_paths(name)) {
      variables.push_back(variable_name(scope, path, name.key));
      keys.push_back(join_key(scope, path, name.key, "."));
    }
  }
  return fmt::format("setting '{}' is missing; tried in the environment: {}; in {}: {}",
                     join_key("", name.sections, name.key, "."), fmt::join(variables, ", "),
                     name.is_secret ? "secrets.toml" : "secrets.toml and config.toml",
                     fmt::join(keys, ", "));
}

}  // namespace tidemark::config
