#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tidemark/cli/install_flags.h"

namespace tidemark::cli {

struct ConfigListArguments {
  bool extras = false;
  bool all = false;
  std::string filter = {};
};

struct ConfigPrintArguments {
  std::string format = "json";  // "json", "env"
  bool extras = false;
};

struct ConfigSetArguments {
  std::vector<std::string> words = {};  // the name's parts, then the value
  std::optional<std::string> from_file = {};
  std::string store = "auto";
};

struct ConfigUnsetArguments {
  std::vector<std::string> words = {};  // the name's parts
  std::string store = "auto";
};

struct ConfigResetArguments {
  std::string store = "auto";
};

struct ConfigTestArguments {
  InstallFlags install = {};
};

using ConfigVerb = std::variant<ConfigListArguments, ConfigPrintArguments, ConfigSetArguments,
                                ConfigUnsetArguments, ConfigResetArguments, ConfigTestArguments>;

struct ConfigArguments {
  std::string plugin;  // `meltano` for the project's own settings
  std::string plugin_type = {};
  bool is_unsafe = false;
  ConfigVerb verb;
};

}  // namespace tidemark::cli
