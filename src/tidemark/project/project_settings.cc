#include "tidemark/project/project_settings.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemark/project/meltano_settings.h"

namespace tidemark::project {
namespace {

using config::Node;

Node settings_of(const Node& document) {
  std::vector<Node::Member> members = document.members();
  std::erase_if(members, [](const Node::Member& member) { return !is_setting_key(member.key); });
  return Node::map(std::move(members), document.position());
}

}  // namespace

LayeredSettings project_settings(const Node& document, const Variables& environment,
                                 const Variables& dotenv, const Node& overrides) {
  LayeredSettings::Layers layers{
      .definitions = meltano_settings(),
      .prefixes = {{"TIDEMARK"}, {"MELTANO"}},
      .export_prefixes = {"MELTANO"},
      .overrides = overrides,
      .environment = environment,
      .dotenv = dotenv,
      .project_file = settings_of(document),
  };
  layers.missing = missing_variable(LayeredSettings(layers));
  return LayeredSettings(std::move(layers));
}

config::MissingVariable missing_variable(const LayeredSettings& settings) {
  const Node strict = settings.find("ff.strict_env_var_mode").value;
  const bool is_strict = strict.kind() == config::Kind::kBool && strict.boolean();
  return is_strict ? config::MissingVariable::kError : config::MissingVariable::kEmpty;
}

bool is_setting_key(std::string_view key) {
  constexpr std::array<std::string_view, 11> kGrammar{
      "version",     "requires_meltano", "include_paths", "plugins",
      "schedules",   "environments",     "jobs",          "env",
      "annotations", "pipelines",        "destinations"};
  return std::ranges::find(kGrammar, key) == kGrammar.end();
}

}  // namespace tidemark::project
