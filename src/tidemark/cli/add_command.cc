#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/commands.h"
#include "tidemark/cli/find_plugin.h"
#include "tidemark/cli/plugin_definition.h"
#include "tidemark/cli/plugin_type.h"
#include "tidemark/cli/project_access.h"
#include "tidemark/cli/run_session.h"
#include "tidemark/project/named_entries.h"
#include "tidemark/runner/install.h"

namespace tidemark::cli {
namespace {

using project::Plugin;
using project::PluginType;
using project::Project;

// An entry that is to stand in the project file.
struct NewEntry {
  PluginType type;
  json::Object members;
  // Definition keys that it does not have are taken from an entry of that name.
  bool is_whole = false;

  std::string name() const { return members.find("name")->as_string(); }
};

std::string kind_and_name(const Plugin& plugin) {
  return fmt::format("{} '{}'", project::words_of(plugin.type()).singular, plugin.name());
}

// The plugin as it would be if this were its entry.
Plugin plugin_with(const Project& project, const NewEntry& entry) {
  json::Value document = project.document().to_json();
  json::Object& root = document.as_object();
  if (root.find("plugins") == nullptr) root.set("plugins", json::Object());
  json::Object& types = root.find("plugins")->as_object();
  const std::string_view type = project::words_of(entry.type).plural;
  if (types.find(type) == nullptr) types.set(type, json::Array());
  json::Array& entries = types.find(type)->as_array();
  entries.insert(entries.begin(), entry.members);
  return *Plugin::find(config::Node::from_json(document), project.root(), entry.name(), entry.type);
}

void check_is_defined(const Project& project, const NewEntry& entry) {
  if (plugin_with(project, entry).attribute("namespace")) return;
  if (const auto old = Plugin::find(project.document(), project.root(), entry.name(), entry.type)) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("{} is in the project already; --custom and --from-ref define it anew",
                            old->label()));
  }
  const std::string_view type = project::words_of(entry.type).plural;
  throw Error(
      ErrorCode::kNotFound,
      fmt::format("there is no definition of {0} '{1}': no file plugins/{2}/{1}--VARIANT.lock, and "
                  "Meltano Hub is not asked; --variant names the file's variant, --custom defines "
                  "the plugin, --from-ref takes a definition from a file",
                  project::words_of(entry.type).singular, entry.name(), type));
}

NewEntry inheriting_entry(const Project& project, const AddArguments& arguments) {
  const std::string& word = arguments.plugins.front();
  const std::string parent = arguments.as ? word : *arguments.inherit_from;
  const std::string name = arguments.as ? *arguments.as : word;
  NewEntry entry{plugin_type_of(parent, arguments.plugin_type),
                 {{"name", name}, {"inherit_from", parent}}};
  if (arguments.variant) entry.members.set("variant", *arguments.variant);
  if (!arguments.variant) find_plugin(project, parent, entry.type);
  check_is_defined(project, entry);
  return entry;
}

NewEntry custom_entry(const Console& console, const AddArguments& arguments,
                      const std::string& name) {
  const PluginType type = plugin_type_of(name, arguments.plugin_type);
  if (type == PluginType::kTransforms || type == PluginType::kOrchestrators) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("--custom is not supported for {}", project::words_of(type).plural));
  }
  console.note(fmt::format("Adding new custom {} with name '{}'...",
                           project::words_of(type).singular, name));
  return {type, ask_for_definition(console, type, name, arguments.definition), true};
}

NewEntry entry_for(const Console& console, const Project& project, const AddArguments& arguments,
                   const std::string& word) {
  if (arguments.custom) return custom_entry(console, arguments, word);
  if (arguments.inherit_from || arguments.as) return inheriting_entry(project, arguments);
  if (arguments.from_ref) {
    json::Object definition = read_definition(console, *arguments.from_ref);
    const std::string name = definition.find("name")->as_string();
    return {plugin_type_of(name, arguments.plugin_type), std::move(definition), true};
  }
  NewEntry entry{plugin_type_of(word, arguments.plugin_type), {{"name", word}}};
  if (arguments.variant) entry.members.set("variant", *arguments.variant);
  check_is_defined(project, entry);
  return entry;
}

// Keys of the old entry's definition that the new one does not have.
std::vector<std::string> keys_gone(const config::Node& old, const NewEntry& entry) {
  std::vector<std::string> gone;
  if (!entry.is_whole) return gone;
  const std::vector<config::Node::Member> extras = project::extras_of(old);
  for (const auto& member : old.members()) {
    const bool stays =
        member.key == "config" || member.key == "env" ||
        entry.members.find(member.key) != nullptr ||
        std::ranges::any_of(extras, [&](const auto& extra) { return extra.key == member.key; });
    if (!stays) gone.push_back(member.key);
  }
  return gone;
}

// Whether the entry was written; not so when there is one of another variant.
bool write_entry(const Console& console, const Project& project, const NewEntry& entry) {
  const auto old = Plugin::find(project.document(), project.root(), entry.name(), entry.type);
  const json::Value* variant = entry.members.find("variant");
  const bool is_another = old && variant != nullptr && old->entry().find("variant") &&
                          old->variant() != variant->as_string();
  if (is_another) {
    console.note(fmt::format(
        "{} already exists in your project, in the variant '{}'; 'tidemark remove {}' makes room",
        old->label(), old->variant(), old->name()));
    return false;
  }
  project::ProjectWriter writer = open_writer(console, project);
  project::NamedEntries entries(project, writer,
                                {"plugins", std::string(project::words_of(entry.type).plural)});
  if (old) {
    entries.set(entry.name(), entry.members, keys_gone(old->entry(), entry));
  } else {
    entries.add(entry.members);
  }
  return true;
}

std::string text_of(const Plugin& plugin, std::string_view key) {
  const auto value = plugin.attribute(key);
  return value ? value->string() : "";
}

std::string description_of(const Plugin& plugin, bool was_there, const NewEntry& entry) {
  std::string text = fmt::format("{} {} {} your project\n", was_there ? "Updated" : "Added",
                                 kind_and_name(plugin), was_there ? "in" : "to");
  const json::Value* variant = entry.members.find("variant");
  const std::string shown =
      variant == nullptr ? "" : fmt::format("{} (default)", variant->as_string());
  if (plugin.inherits()) {
    text += fmt::format("Inherit from:\t{}{}\n", entry.members.find("inherit_from")->as_string(),
                        shown.empty() ? "" : ", variant " + shown);
  } else if (!shown.empty()) {
    text += fmt::format("Variant:\t{}\n", shown);
  }
  const auto add = [&](std::string_view label, std::string_view key) {
    const std::string value = text_of(plugin, key);
    if (!value.empty()) text += fmt::format("{}:\t{}\n", label, value);
  };
  add("Repository", "repo");
  add("Documentation", "docs");
  add("Python Version", "python");
  return text;
}

void install(const Console& console, const Project& project, const std::vector<Plugin>& plugins,
             const AddArguments& arguments) {
  if (arguments.no_install) return;
  RunSession session(console, project, std::nullopt);
  const size_t failed = runner::install(
      session.context(), plugins,
      {.ignores_python_version = arguments.force_install, .parallelism = plugins.size()});
  if (failed > 0) {
    throw Error(ErrorCode::kInvalid,
                "Failed to install plugin(s); what was added to the project file stays there");
  }
}

}  // namespace

ExitCode add_plugins(const Console& console, const AddArguments& arguments) {
  std::vector<Plugin> added;
  for (const std::string& word : arguments.plugins) {
    const Project project = open_project(console, project::EnvironmentUse::kNone);
    check_plugin_name(arguments.as.value_or(word));
    NewEntry entry = entry_for(console, project, arguments, word);
    check_plugin_name(entry.name());
    if (arguments.python) entry.members.set("python", *arguments.python);
    const bool was_there =
        Plugin::find(project.document(), project.root(), entry.name(), entry.type).has_value();
    if (!write_entry(console, project, entry)) continue;
    const Project now = open_project(console, project::EnvironmentUse::kNone);
    added.push_back(find_plugin(now, entry.name(), entry.type));
    const std::string text = description_of(added.back(), was_there, entry);
    console.result(arguments.custom ? text : text + "\n");
  }
  if (added.empty()) return kDone;
  install(console, open_project(console, project::EnvironmentUse::kNone), added, arguments);
  std::string documents;
  for (const Plugin& plugin : added) {
    const std::string docs = text_of(plugin, "docs");
    const std::string& place = docs.empty() ? text_of(plugin, "repo") : docs;
    if (!place.empty()) {
      documents += fmt::format("To learn more about {}, visit {}\n", kind_and_name(plugin), place);
    }
  }
  if (!documents.empty()) console.result("\n" + documents);
  return kDone;
}

}  // namespace tidemark::cli
