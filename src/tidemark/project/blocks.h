#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tidemark/project/plugin.h"
#include "tidemark/project/project.h"

namespace tidemark::project {

// A tap, mappers and a target: one flow of data.
struct BlockSet {
  Plugin tap;
  std::vector<Plugin> mappers;
  Plugin target;

  // `tap-x`, the mappers, `target-y`.
  std::vector<std::string> names() const;
};

// Any other plugin, with one of its commands when there is one: `dbt-postgres:run`.
struct CommandBlock {
  Plugin plugin;
  std::optional<std::string> command;
};

// A pipeline of `pipelines:`.
struct PipelineBlock {
  std::string name;
};

using Block = std::variant<BlockSet, CommandBlock, PipelineBlock>;

// What the words of `run` name, in their order. A word is a plugin (`name`, `name:command`), a
// mapping, a pipeline, or a job, in whose place its tasks stand. Error kNotFound for a word that is
// none of these, kInvalid for plugins that make no set.
std::vector<Block> parse_blocks(const Project& project, const std::vector<std::string>& words);

// The plugins of the blocks, in their order.
std::vector<Plugin> plugins_of(const std::vector<Block>& blocks);

std::vector<std::string> job_names(const Project& project);
// The words of tasks: each text is split at its blanks, lists in lists are one list.
std::vector<std::string> task_words(const config::Node& tasks);
// The words of the job's tasks; nothing when there is no job of that name.
std::optional<std::vector<std::string>> job_words(const Project& project, std::string_view name);

// The ID under which Meltano keeps a set's state: `dev:tap-x-to-target-y`, with `:suffix` when
// there is one. Error kInvalid when a part has a colon, and without an active environment.
std::string state_id(const Project& project, const BlockSet& set, const std::string& suffix);

// What the active environment says of `state_id_suffix`; empty when nothing.
std::string environment_suffix(const Project& project);

}  // namespace tidemark::project
