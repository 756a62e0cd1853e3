#include "tidemark/project/plugin_settings.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemark/project/plugin_variables.h"
#include "tidemark/project/project_settings.h"

namespace tidemark::project {
namespace {

using config::Node;

// `config` of an entry, its extras beside it with `_` in front.
Node settings_in(const Node& entry) {
  std::vector<Node::Member> members;
  if (const std::optional<Node> own = entry.optional_node("config")) members = own->members();
  for (Node::Member& extra : extras_of(entry)) {
    extra.key.insert(0, "_");
    members.push_back(std::move(extra));
  }
  return Node::map(std::move(members), entry.position());
}

// A mapper under the name of a mapping has the mapping's configuration over its own, and knows
// which one it is.
Node project_file_settings(const Plugin& plugin) {
  Node own = settings_in(plugin.entry());
  const std::optional<Node>& mapping = plugin.mapping();
  if (!mapping) return own;
  std::vector<Node::Member> members;
  if (const auto config = mapping->optional_node("config")) members = config->members();
  const Node over = Node::map(members, mapping->position());
  for (Node::Member& member : own.members()) {
    if (!over.find(member.key)) members.push_back(std::move(member));
  }
  members.push_back({"_mapping", Node::scalar(true, mapping->position())});
  members.push_back({"_mapping_name", mapping->require("name")});
  return Node::map(std::move(members), mapping->position());
}

std::vector<std::string> prefixes_of(const Plugin& plugin) {
  return {plugin.name(), plugin.plugin_namespace()};
}

std::vector<std::string> export_prefixes_of(const Plugin& plugin) {
  std::vector<std::string> prefixes;
  for (const Plugin* one = &plugin; one != nullptr; one = one->parent().get()) {
    for (std::string& prefix : prefixes_of(*one)) prefixes.push_back(std::move(prefix));
  }
  prefixes.push_back("MELTANO_" + std::string(words_of(plugin.type()).verb));
  return prefixes;
}

}  // namespace

LayeredSettings plugin_settings(const Project& project, const Plugin& plugin, const Node& overrides,
                                const os::Environment& handed_on) {
  LayeredSettings::Layers layers{
      .definitions = plugin.setting_definitions(),
      .prefixes = {prefixes_of(plugin)},
      .reads_env_aliases = !plugin.inherits(),
      .export_prefixes = export_prefixes_of(plugin),
      .overrides = overrides,
      .environment = plugin_variables(project, plugin, handed_on),
      .dotenv = project.dotenv(),
      .project_file = project_file_settings(plugin),
      .missing = missing_variable(project.settings()),
  };
  if (const auto entry = environment_entry(project, plugin)) {
    layers.active_environment = settings_in(*entry);
  }
  if (plugin.parent()) {
    layers.parent =
        std::make_shared<const LayeredSettings>(plugin_settings(project, *plugin.parent()));
  }
  return LayeredSettings(std::move(layers));
}

}  // namespace tidemark::project
