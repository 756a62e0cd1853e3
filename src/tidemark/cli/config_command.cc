#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tidemark/base/ascii.h"
#include "tidemark/base/error.h"
#include "tidemark/cli/commands.h"
#include "tidemark/cli/config_list.h"
#include "tidemark/cli/config_print.h"
#include "tidemark/cli/config_target.h"
#include "tidemark/cli/project_access.h"
#include "tidemark/cli/try_config.h"
#include "tidemark/config/nearest.h"
#include "tidemark/json/write.h"
#include "tidemark/project/project_writer.h"
#include "tidemark/project/setting_store.h"

namespace tidemark::cli {
namespace {

using project::Setting;
using project::SettingDefinition;
using project::SettingSource;

// How `config` shows a secret: nobody's value.
constexpr std::string_view kRedacted = "(redacted)";

ExitCode run_verb(const Console& console, const ConfigTarget& target, const ConfigArguments&,
                  const ConfigListArguments& verb) {
  console.result(console.is_json() ? json::write_pretty(config_list_json(target, verb))
                                   : config_list_text(target, verb));
  return kDone;
}

ExitCode run_verb(const Console& console, const ConfigTarget& target, const ConfigArguments&,
                  const ConfigPrintArguments& verb) {
  console.result(config_print_text(target, verb));
  return kDone;
}

void warn_of_unknown(const Console& console, const ConfigTarget& target, const std::string& name) {
  if (target.settings.find_definition(name) != nullptr) {
    return;
  }
  std::vector<std::string_view> known;
  for (const SettingDefinition& definition : target.settings.definitions()) {
    known.push_back(definition.name);
  }
  const auto near = config::nearest(name, known);
  console.warning(fmt::format("unknown setting '{}'{}", name,
                              near ? fmt::format("; did you mean '{}'?", *near) : ""));
}

std::string stripped(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\f\v";
  const size_t first = std::min(text.find_first_not_of(kBlanks), text.size());
  return std::string(text.substr(first, text.find_last_not_of(kBlanks) - first + 1));
}

std::string read_value(const Console& console, const std::string& file) {
  const CliContext& context = console.context();
  if (file != "-") {
    return stripped(os::read_file(context.surroundings.current_directory / file));
  }
  std::string text;
  while (const auto line = context.in->read_line()) {
    text += *line + "\n";
  }
  context.cancellation->throw_if_cancelled();
  return stripped(text);
}

struct NameAndValue {
  std::string name;
  std::string value;
};

NameAndValue name_and_value(const Console& console, const ConfigSetArguments& verb) {
  std::vector<std::string> words = verb.words;
  std::string value;
  if (verb.from_file) {
    value = read_value(console, *verb.from_file);
  } else if (words.size() > 1) {
    value = std::move(words.back());
    words.pop_back();
  } else {
    words.clear();
  }
  if (words.empty()) {
    throw Error(ErrorCode::kInvalid,
                "say what to set: a name and a value, or a name and --from-file");
  }
  if (value == kRedacted) {
    throw Error(ErrorCode::kInvalid, "'(redacted)' is how a secret is shown, not its value");
  }
  return {fmt::format("{}", fmt::join(words, ".")), std::move(value)};
}

// Meltano takes any other word for false; a typo is better told.
void check_boolean(const SettingDefinition& definition, const std::string& value) {
  constexpr std::array<std::string_view, 4> kFalse{"false", "0", "no", "off"};
  const bool is_false = std::ranges::find(kFalse, ascii_lower(value)) != kFalse.end();
  if (definition.kind == project::SettingKind::kBoolean && !is_false &&
      !project::is_truthy(value)) {
    throw Error(ErrorCode::kInvalid, fmt::format("{}: expected true or false", definition.name));
  }
}

// Text stays text unless the setting is of another kind.
json::Value value_for(const ConfigTarget& target, const NameAndValue& given) {
  const SettingDefinition* definition = target.settings.find_definition(given.name);
  if (definition == nullptr) {
    return given.value;
  }
  check_boolean(*definition, given.value);
  return project::cast_setting(*definition, config::Node::scalar(given.value)).to_json();
}

SettingSource written_source(const ConfigTarget& target, const std::string& place) {
  if (place.starts_with("the active environment")) {
    return SettingSource::kActiveEnvironment;
  }
  const std::string dotenv =
      target.project.dotenv_file().lexically_relative(target.project.root()).native();
  return place == fmt::format("`{}`", dotenv) ? SettingSource::kDotenv
                                              : SettingSource::kProjectFile;
}

ExitCode run_verb(const Console& console, const ConfigTarget& target,
                  const ConfigArguments& arguments, const ConfigSetArguments& verb) {
  const project::SettingStore store = project::read_setting_store(verb.store);
  const NameAndValue given = name_and_value(console, verb);
  warn_of_unknown(console, target, given.name);
  const json::Value value = value_for(target, given);
  std::string place;
  {
    project::ProjectWriter writer = open_writer(console, target.project);
    project::SettingWriter settings(target.project, target.plugin ? &*target.plugin : nullptr,
                                    target.settings, writer);
    place = settings.set(given.name, value, store);
  }
  const SettingDefinition* definition = target.settings.find_definition(given.name);
  console.result(fmt::format("{} setting '{}' was set in {}: {}", target.label(), given.name, place,
                             shown_value(target, definition, config::Node::from_json(value))));
  const ConfigTarget now = open_config_target(console, arguments);
  const Setting setting = now.settings.find(given.name);
  if (setting.source < written_source(target, place)) {
    console.result(fmt::format("Current value is still: {} ({})",
                               shown_value(now, definition, setting.value),
                               shown_source(now, setting)));
  }
  return kDone;
}

std::string joined(const std::vector<std::string>& places) {
  return fmt::format("{}", fmt::join(places, " and "));
}

ExitCode run_verb(const Console& console, const ConfigTarget& target,
                  const ConfigArguments& arguments, const ConfigUnsetArguments& verb) {
  const project::SettingStore store = project::read_setting_store(verb.store);
  const std::string name = fmt::format("{}", fmt::join(verb.words, "."));
  warn_of_unknown(console, target, name);
  std::vector<std::string> places;
  {
    project::ProjectWriter writer = open_writer(console, target.project);
    project::SettingWriter settings(target.project, target.plugin ? &*target.plugin : nullptr,
                                    target.settings, writer);
    places = settings.unset(name, store);
  }
  console.result(places.empty() ? fmt::format("{} setting '{}' was not set", target.label(), name)
                                : fmt::format("{} setting '{}' in {} was unset", target.label(),
                                              name, joined(places)));
  const ConfigTarget now = open_config_target(console, arguments);
  const Setting setting = now.settings.find(name);
  if (setting.source != SettingSource::kDefault) {
    console.result(fmt::format("Current value is now: {} ({})",
                               shown_value(now, now.settings.find_definition(name), setting.value),
                               shown_source(now, setting)));
  }
  return kDone;
}

ExitCode run_verb(const Console& console, const ConfigTarget& target, const ConfigArguments&,
                  const ConfigResetArguments& verb) {
  const project::SettingStore store = project::read_setting_store(verb.store);
  console.confirm(
      fmt::format("This removes all settings of {}. Do you want to continue?", target.label()));
  project::ProjectWriter writer = open_writer(console, target.project);
  project::SettingWriter settings(target.project, target.plugin ? &*target.plugin : nullptr,
                                  target.settings, writer);
  const std::vector<std::string> places = settings.reset(store);
  console.result(places.empty()
                     ? fmt::format("{} has no settings there", target.label())
                     : fmt::format("{} settings in {} were reset", target.label(), joined(places)));
  return kDone;
}

ExitCode run_verb(const Console& console, const ConfigTarget& target, const ConfigArguments&,
                  const ConfigTestArguments& verb) {
  return try_config(console, target, verb);
}

}  // namespace

ExitCode run_config(const Console& console, const ConfigArguments& arguments) {
  const ConfigTarget target = open_config_target(console, arguments);
  return std::visit([&](const auto& verb) { return run_verb(console, target, arguments, verb); },
                    arguments.verb);
}

}  // namespace tidemark::cli
