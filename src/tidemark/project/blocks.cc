#include "tidemark/project/blocks.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/config/expand.h"
#include "tidemark/config/nearest.h"

namespace tidemark::project {
namespace {

using config::Node;
using Words = std::vector<std::string>;

// A word when it is known what it names.
struct Named {
  std::string word;
  std::optional<Plugin> plugin;  // nothing: a pipeline
  std::optional<std::string> command = {};

  bool is(PluginType type) const { return plugin && plugin->type() == type; }
  const std::string& name() const { return plugin ? plugin->name() : word; }
};

Error violation(std::string_view what) {
  return {ErrorCode::kInvalid, fmt::format("block violates set requirements: {}", what)};
}

std::vector<Node> jobs_of(const Project& project) {
  const std::optional<Node> jobs = project.document().optional_node("jobs");
  return jobs ? jobs->items() : std::vector<Node>();
}

void add_tasks(const Node& tasks, Words& words) {
  if (tasks.is_list()) {
    for (const Node& task : tasks.items()) add_tasks(task, words);
    return;
  }
  std::string text = tasks.string();
  for (size_t end = 0; end != std::string::npos;) {
    end = text.find(' ');
    words.push_back(text.substr(0, end));
    if (end != std::string::npos) text.erase(0, end + 1);
  }
}

Words with_jobs_expanded(const Project& project, const Words& words) {
  Words expanded;
  for (const std::string& word : words) {
    std::optional<Words> tasks = job_words(project, word);
    if (!tasks) tasks = Words{word};
    std::ranges::move(*tasks, std::back_inserter(expanded));
  }
  return expanded;
}

// Which of two mappers with a mapping of one name is meant, nobody can tell.
void check_mapping(const Project& project, const std::string& word, const Plugin& plugin) {
  if (!plugin.mapping()) return;
  const Words names = Plugin::names(project.document(), PluginType::kMappers);
  if (std::ranges::count(names, word) < 2) return;
  throw Error(ErrorCode::kInvalid,
              fmt::format("Ambiguous mapping name {}, found multiple matches", word));
}

Error unknown(const Project& project, const std::string& word) {
  Words names = project.pipeline_names();
  std::ranges::move(Plugin::names(project.document()), std::back_inserter(names));
  std::ranges::move(job_names(project), std::back_inserter(names));
  const std::vector<std::string_view> known(names.begin(), names.end());
  return {ErrorCode::kNotFound,
          fmt::format("Block {} not found{}", word, config::suggestion(word, known))};
}

Named name_word(const Project& project, const std::string& word) {
  const Words pipelines = project.pipeline_names();
  if (std::ranges::find(pipelines, word) != pipelines.end()) return {word, std::nullopt};
  const size_t colon = word.find(':');
  const bool has_command = colon != std::string::npos && colon == word.rfind(':');
  const std::string name = has_command ? word.substr(0, colon) : word;
  auto plugin = Plugin::find(project.document(), project.root(), name);
  if (!plugin) throw unknown(project, word);
  if (job_words(project, name)) {
    throw Error(
        ErrorCode::kInvalid,
        fmt::format("Ambiguous reference to '{}' which matches a job name AND a plugin name",
                    name));
  }
  check_mapping(project, word, *plugin);
  Named named{word, std::move(plugin)};
  if (has_command) named.command = word.substr(colon + 1);
  return named;
}

// Reads named words from the front to the end.
class Parser {
 public:
  explicit Parser(std::vector<Named> words) : words_(std::move(words)) {}

  std::vector<Block> parse() {
    std::vector<Block> blocks;
    while (at_ < words_.size()) blocks.push_back(next());
    return blocks;
  }

 private:
  Block next() {
    Named& first = words_[at_];
    if (!first.plugin) return PipelineBlock{words_[at_++].word};
    if (first.is(PluginType::kExtractors)) return next_set();
    if (first.is(PluginType::kLoaders) || first.is(PluginType::kMappers)) throw misplaced(at_);
    ++at_;
    return CommandBlock{*std::move(first.plugin), std::move(first.command)};
  }

  BlockSet next_set() {
    const size_t start = at_++;
    std::vector<Plugin> mappers;
    for (; at_ < words_.size(); ++at_) {
      Named& word = words_[at_];
      if (word.is(PluginType::kLoaders)) {
        ++at_;
        return {*std::move(words_[start].plugin), std::move(mappers), *std::move(word.plugin)};
      }
      if (!word.is(PluginType::kMappers)) throw misplaced(start);
      // Meltano looks only at a set that comes first; behind others it takes the mapper as it is.
      if (!word.plugin->mapping() && start == 0) {
        throw violation(fmt::format("Expected unique mappings name not the mapper plugin name: {}.",
                                    word.name()));
      }
      mappers.push_back(*std::move(word.plugin));
    }
    throw violation("Loader missing in block set!");
  }

  Error misplaced(size_t index) const {
    return violation(
        fmt::format("Unknown command type or bad block sequence at index {}, starting block '{}'",
                    index + 1, words_[index].name()));
  }

  std::vector<Named> words_;
  size_t at_ = 0;
};

}  // namespace

std::vector<std::string> BlockSet::names() const {
  std::vector<std::string> names{tap.name()};
  for (const Plugin& mapper : mappers) names.push_back(mapper.name());
  names.push_back(target.name());
  return names;
}

std::vector<Block> parse_blocks(const Project& project, const Words& words) {
  std::vector<Named> named;
  for (const std::string& word : with_jobs_expanded(project, words)) {
    named.push_back(name_word(project, word));
  }
  return Parser(std::move(named)).parse();
}

std::vector<Plugin> plugins_of(const std::vector<Block>& blocks) {
  std::vector<Plugin> plugins;
  for (const Block& block : blocks) {
    if (const auto* command = std::get_if<CommandBlock>(&block)) {
      plugins.push_back(command->plugin);
    } else if (const auto* set = std::get_if<BlockSet>(&block)) {
      plugins.push_back(set->tap);
      plugins.insert(plugins.end(), set->mappers.begin(), set->mappers.end());
      plugins.push_back(set->target);
    }
  }
  return plugins;
}

Words job_names(const Project& project) {
  Words names;
  for (const Node& job : jobs_of(project)) names.push_back(job.require("name").string());
  return names;
}

Words task_words(const Node& tasks) {
  Words words;
  add_tasks(tasks, words);
  return words;
}

std::optional<Words> job_words(const Project& project, std::string_view name) {
  for (const Node& job : jobs_of(project)) {
    if (job.require("name").string() != name) continue;
    const std::optional<Node> tasks = job.optional_node("tasks");
    return tasks ? task_words(*tasks) : Words();
  }
  return std::nullopt;
}

std::string state_id(const Project& project, const BlockSet& set, const std::string& suffix) {
  if (!project.environment_name()) {
    throw Error(ErrorCode::kInvalid,
                "A Meltano environment must be specified. Set the `default_environment` option in "
                "`meltano.yml`, or the `--environment` CLI option");
  }
  Words parts{*project.environment_name(),
              fmt::format("{}-to-{}", set.tap.name(), set.target.name())};
  if (!suffix.empty()) parts.push_back(suffix);
  std::string id;
  for (const std::string& part : parts) {
    if (part.find(':') != std::string::npos) {
      throw Error(ErrorCode::kInvalid,
                  fmt::format("Cannot generate a state ID from components containing the delimiter "
                              "string ':', as '{}' does",
                              part));
    }
    id += (id.empty() ? "" : ":") + part;
  }
  return id;
}

std::string environment_suffix(const Project& project) {
  const std::optional<Node> entry = project.active_environment();
  const auto suffix = entry ? entry->optional_node("state_id_suffix") : std::nullopt;
  if (!suffix) return {};
  return config::expand(*suffix, project.environment(), config::MissingVariable::kEmpty).string();
}

}  // namespace tidemark::project
