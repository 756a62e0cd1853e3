#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tidemark/cli/config_arguments.h"
#include "tidemark/cli/console.h"
#include "tidemark/project/layered_settings.h"
#include "tidemark/project/plugin.h"
#include "tidemark/project/project.h"

namespace tidemark::cli {

// Whose settings a `config` command is about.
struct ConfigTarget {
  project::Project project;
  std::optional<project::Plugin> plugin;  // nothing for Meltano's own
  project::LayeredSettings settings;
  // Secrets are shown as they are.
  bool is_unsafe = false;

  // `Extractor 'tap-x'`, `Meltano`.
  std::string label() const;
};

// Error kNotFound without a project, or for a plugin it does not have; kInvalid for a type that is
// none.
ConfigTarget open_config_target(const Console& console, const ConfigArguments& arguments);

// The value as Python shows it. Secrets are `(redacted)`, so are passwords in addresses.
std::string shown_value(const ConfigTarget& target, const project::SettingDefinition* definition,
                        const config::Node& value);

// The value for a document: secrets are `*****`.
json::Value masked_value(const ConfigTarget& target, const project::SettingDefinition* definition,
                         const json::Value& value);

// Where it comes from, in Meltano's words and with the line: "from `meltano.yml`, line 3".
std::string shown_source(const ConfigTarget& target, const project::Setting& setting);

}  // namespace tidemark::cli
