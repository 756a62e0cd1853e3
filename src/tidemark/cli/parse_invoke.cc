#include <memory>
#include <utility>
#include <vector>

#include "tidemark/cli/install_options.h"
#include "tidemark/cli/parse_commands.h"

namespace tidemark::cli {

CommandSpec install_spec() {
  auto install = std::make_shared<InstallArguments>();
  return {.name = "install",
          .help = "Install plugins into virtual environments of their own",
          .options = {{.names = "PLUGIN",
                       .target = AllThatFollow{&install->plugins},
                       .help = "Which; all without one",
                       .thing = NamedThing::kPlugin},
                      {"--plugin-type", &install->plugin_type, "Only of this type"},
                      {"-p,--parallelism", &install->parallelism,
                       "How many at a time; as many as there are cores without"},
                      {"--clean", &install->clean, "Make the virtual environments anew"},
                      {"-f,--force", &install->force,
                       "Also what refuses this version of Python (pip only)"}},
          .result = [install] { return *install; }};
}

CommandSpec invoke_spec() {
  auto invoke = std::make_shared<InvokeArguments>();
  std::vector<OptionSpec> options{
      {.names = "PLUGIN",
       .target = &invoke->plugin,
       .help = "PLUGIN or PLUGIN:COMMAND; words behind it are the plugin's",
       .is_required = true,
       .thing = NamedThing::kPlugin},
      {"ARGS", AllThatFollow{&invoke->words}, "Words for the plugin"},
      {"--plugin-type", &invoke->plugin_type, "Where several have the name"},
      {"--list-commands", &invoke->list_commands, "Say what commands it has"},
      {.names = "--dump",
       .target = &invoke->dump,
       .help = "Print a file that the plugin would get, and run nothing",
       .choices = {"config", "catalog"}},
      {"--print-var", Repeated{&invoke->print_var}, "Print a variable that the plugin gets"},
      {"--refresh-catalog", &invoke->refresh_catalog, "Ask the tap for its catalog again"},
  };
  for (OptionSpec& option : install_options(invoke->install)) options.push_back(std::move(option));
  return {.name = "invoke",
          .help = "Call a plugin, or one of its commands",
          .options = std::move(options),
          .result = [invoke] { return *invoke; },
          .passes_words_on = true};
}

}  // namespace tidemark::cli
