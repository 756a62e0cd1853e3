#include <memory>

#include "tidemark/base/error.h"
#include "tidemark/cli/parse_commands.h"

namespace tidemark::cli {
namespace {

void check(const AddArguments& add) {
  const int ways =
      (add.custom ? 1 : 0) + (add.from_ref ? 1 : 0) + (add.inherit_from || add.as ? 1 : 0);
  if (ways > 1) {
    throw Error(ErrorCode::kInvalid,
                "--custom, --from-ref and --inherit-from (or --as) are three ways to define a "
                "plugin: give one of them");
  }
  const bool names_one = add.inherit_from || add.as;
  if (names_one && add.plugins.size() > 1) {
    throw Error(ErrorCode::kInvalid, "--inherit-from and --as take one plugin at a time");
  }
  const CustomPlugin& given = add.definition;
  const bool defines =
      given.name_space || given.pip_url || given.executable || given.capabilities || given.settings;
  if (defines && !add.custom) {
    throw Error(ErrorCode::kInvalid,
                "--namespace, --pip-url, --executable, --capabilities and --settings go with "
                "--custom");
  }
}

}  // namespace

CommandSpec add_spec() {
  auto add = std::make_shared<AddArguments>();
  CustomPlugin& custom = add->definition;
  return {
      .name = "add",
      .help = "Add plugins to the project file, and install them",
      .options =
          {{.names = "PLUGIN",
            .target = AllThatFollow{&add->plugins},
            .help = "Their names",
            .is_required = true},
           {"--plugin-type", &add->plugin_type,
            "Of what type; tap-x is an extractor, target-x a loader, any other a utility"},
           {"--custom", &add->custom,
            "Define it here: what none of the following five says is asked for, --yes takes what "
            "is proposed"},
           {"--namespace", &custom.name_space, "The start of the names of its variables"},
           {"--pip-url", &custom.pip_url, "What pip installs; n for nothing"},
           {"--executable", &custom.executable, "Its program"},
           {"--capabilities", &custom.capabilities, "What it can do, separated by commas"},
           {"--settings", &custom.settings, "Its settings, NAME or NAME:KIND, separated by commas"},
           {"--from-ref", &add->from_ref, "A file or http address with the definition"},
           {.names = "--inherit-from",
            .target = &add->inherit_from,
            .help = "The plugin whose settings it takes over",
            .thing = NamedThing::kPlugin},
           {"--as", &add->as, "The name of a new plugin that inherits from PLUGIN"},
           {"--variant", &add->variant, "Which definition of that name"},
           {"--python", &add->python, "The interpreter for its virtual environment"},
           {"--no-update", &add->no_update, "Definitions that lie in the project; always so here"},
           {"--install", &add->install, "Install it, as without this"},
           {.names = "--no-install",
            .target = &add->no_install,
            .help = "Install nothing",
            .excludes = "--install"},
           {"--force-install", &add->force_install,
            "Install also what refuses this version of Python (pip only)"}},
      .result = [add] {
        check(*add);
        return *add;
      }};
}

CommandSpec remove_spec() {
  auto remove = std::make_shared<RemoveArguments>();
  return {.name = "remove",
          .help = "Remove plugins from the project file, with their virtual environments",
          .options = {{.names = "PLUGIN",
                       .target = AllThatFollow{&remove->plugins},
                       .help = "Their names",
                       .is_required = true,
                       .thing = NamedThing::kPlugin},
                      {"--plugin-type", &remove->plugin_type,
                       "Of what type; without it as `add` tells it from the name"}},
          .result = [remove] { return *remove; }};
}

}  // namespace tidemark::cli
