#include "tidemark/cli/config_list.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tidemark/base/ascii.h"
#include "tidemark/project/python_literal.h"

namespace tidemark::cli {
namespace {

using project::Setting;
using project::SettingDefinition;
using project::SettingSource;
using Groups = std::vector<std::vector<std::string>>;

constexpr std::string_view kDefault = "default";

// A setting that is shown.
struct Row {
  const SettingDefinition* definition = nullptr;
  Setting setting;

  bool is_default() const { return setting.source == SettingSource::kDefault; }
};

std::vector<Row> rows_of(const ConfigTarget& target, const ConfigListArguments& arguments) {
  std::vector<Row> rows;
  const std::string filter = ascii_lower(arguments.filter);
  for (const SettingDefinition& definition : target.settings.definitions()) {
    const bool is_wanted = definition.is_extra() == arguments.extras &&
                           ascii_lower(definition.name).find(filter) != std::string::npos;
    if (is_wanted) rows.push_back({&definition, target.settings.find(definition.name)});
  }
  std::ranges::sort(rows, {}, [](const Row& row) { return row.definition->name; });
  return rows;
}

Groups groups_of(const ConfigTarget& target, const ConfigListArguments& arguments) {
  const bool has_groups = target.plugin && !arguments.extras;
  return has_groups ? target.plugin->setting_groups() : Groups();
}

std::string names_of(std::vector<std::string> group) {
  std::ranges::sort(group);
  return fmt::format("{}", fmt::join(group, ", "));
}

std::string groups_text(const Groups& groups) {
  if (groups.empty()) return "";
  if (groups.size() == 1) return fmt::format("Required settings: {}\n\n", names_of(groups[0]));
  std::string text = "Setting groups (one of the following combinations is required):\n";
  for (size_t i = 0; i < groups.size(); ++i) {
    text += fmt::format("  Group {}: {}\n", i + 1, names_of(groups[i]));
  }
  return text + "\n";
}

std::vector<size_t> groups_with(const Groups& groups, const std::string& name) {
  std::vector<size_t> numbers;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (std::ranges::find(groups[i], name) != groups[i].end()) numbers.push_back(i + 1);
  }
  return numbers;
}

std::string group_note(const Groups& groups, const std::string& name) {
  const std::vector<size_t> numbers = groups_with(groups, name);
  if (groups.size() < 2 || numbers.empty()) return "";
  if (numbers.size() == groups.size()) return " (required)";
  return fmt::format(" (required by group{} {})", numbers.size() == 1 ? "" : "s",
                     fmt::join(numbers, ", "));
}

// What stands at its place, where that is not the value itself. Of a secret only what says where it
// comes from: `$NAME`, `${NAME}`.
std::string written_text(const ConfigTarget& target, const Row& row) {
  if (row.setting.source == SettingSource::kInherited || !row.setting.written.is_string())
    return "";
  const std::string& written = row.setting.written.value().as_string();
  const json::Value value = row.setting.value.to_json();
  if (!value.is_null() && !value.is_string()) return "";
  if (value.is_string() && value.as_string() == written) return "";
  const bool is_reference =
      written.starts_with('$') && written.find_first_of("$ /:@", 1) == std::string::npos;
  const bool is_hidden = row.definition->is_sensitive && !target.is_unsafe && !is_reference;
  return is_hidden ? "" : ": " + shown_value(target, nullptr, row.setting.written);
}

std::string row_text(const ConfigTarget& target, const Groups& groups, const Row& row) {
  const SettingDefinition& definition = *row.definition;
  std::string text =
      fmt::format("{}{} [env: {}]", definition.name, group_note(groups, definition.name),
                  fmt::join(target.settings.variables(definition), ", "));
  if (!row.is_default() && !definition.default_value.is_null()) {
    text += fmt::format(
        " (default: {})",
        shown_value(target, &definition, config::Node::from_json(definition.default_value)));
  }
  const std::string source =
      row.is_default() ? std::string(kDefault) : shown_source(target, row.setting);
  text += fmt::format(" current value: {} ({}{})\n",
                      shown_value(target, &definition, row.setting.value), source,
                      written_text(target, row));
  if (!definition.description.empty()) {
    text += fmt::format("\t{}{}{}\n", definition.label, definition.label.empty() ? "" : ": ",
                        definition.description);
  }
  return text;
}

struct Sections {
  std::string required;
  std::string configured;
  std::string optional;
  std::string custom;
  size_t hidden = 0;
};

Sections sections_of(const ConfigTarget& target, const ConfigListArguments& arguments,
                     const Groups& groups, const std::vector<Row>& rows) {
  Sections sections;
  const bool shows_optional = arguments.all || !arguments.filter.empty();
  for (const Row& row : rows) {
    const std::string text = row_text(target, groups, row);
    if (!groups_with(groups, row.definition->name).empty()) {
      sections.required += text;
    } else if (row.definition->is_custom) {
      sections.custom += text;
    } else if (!row.is_default()) {
      sections.configured += text;
    } else if (shows_optional) {
      sections.optional += text;
    } else {
      ++sections.hidden;
    }
  }
  return sections;
}

void add(std::string& out, std::string_view header, const std::string& lines) {
  if (lines.empty()) return;
  if (!out.empty() && !out.ends_with("\n\n")) out += "\n";
  if (!header.empty()) out += fmt::format("{}\n", header);
  out += lines;
}

}  // namespace

std::string config_list_text(const ConfigTarget& target, const ConfigListArguments& arguments) {
  const Groups groups = groups_of(target, arguments);
  const std::vector<Row> rows = rows_of(target, arguments);
  std::string out = groups_text(groups);
  if (rows.empty() && !arguments.filter.empty()) {
    return out + fmt::format("No settings match '{}'.\n", arguments.filter);
  }
  const Sections sections = sections_of(target, arguments, groups, rows);
  const bool has_header = !arguments.extras || !sections.configured.empty();
  add(out, "Required:", sections.required);
  add(out, "Configured:", sections.configured);
  add(out, has_header ? "Optional:" : "", sections.optional);
  add(out, arguments.extras ? "Custom:" : "Custom, possibly unsupported by the plugin:",
      sections.custom);
  if (sections.hidden > 0) {
    add(out, "",
        fmt::format("Optional settings with default values: {} hidden. Use --all to show "
                    "all.\n",
                    sections.hidden));
  }
  const auto docs = target.plugin ? target.plugin->attribute("docs") : std::nullopt;
  if (docs && docs->is_string()) {
    add(out, "",
        fmt::format("To learn more about {} and its settings, visit {}\n", target.label(),
                    docs->string()));
  }
  return out;
}

json::Value config_list_json(const ConfigTarget& target, const ConfigListArguments& arguments) {
  json::Array settings;
  for (const Row& row : rows_of(target, arguments)) {
    const SettingDefinition& definition = *row.definition;
    json::Array variables;
    for (const std::string& name : target.settings.variables(definition))
      variables.emplace_back(name);
    const config::Position& position = row.setting.written.position();
    const bool has_line = position.file != nullptr && position.line > 0;
    settings.emplace_back(json::Object{
        {"name", definition.name},
        {"value", masked_value(target, &definition, row.setting.value.to_json())},
        {"source", row.is_default() ? std::string(kDefault) : shown_source(target, row.setting)},
        {"file", has_line ? json::Value(*position.file) : json::Value()},
        {"line", has_line ? json::Value(position.line) : json::Value()},
        {"default", masked_value(target, &definition, definition.default_value)},
        {"env", std::move(variables)},
        {"sensitive", definition.is_sensitive},
        {"custom", definition.is_custom},
        {"description", definition.description}});
  }
  return settings;
}

}  // namespace tidemark::cli
