#include <memory>
#include <string>
#include <utility>

#include "tidemark/cli/install_options.h"
#include "tidemark/cli/parse_commands.h"

namespace tidemark::cli {
namespace {

// What stands between `config` and the verb, or behind it.
struct ConfigWords {
  std::string plugin = {};
  std::string plugin_type = {};
  bool is_safe = false;
  bool is_unsafe = false;

  Command with(ConfigVerb verb) const {
    return ConfigArguments{plugin, plugin_type, is_unsafe && !is_safe, std::move(verb)};
  }
};
using ConfigWordsPtr = std::shared_ptr<ConfigWords>;

CommandSpec verb_spec(const ConfigWordsPtr& words, std::string name, std::string help,
                      std::vector<OptionSpec> options, std::function<ConfigVerb()> verb) {
  options.insert(options.begin(), {.names = "PLUGIN",
                                   .target = &words->plugin,
                                   .help = "Name of a plugin, or meltano for the project's own",
                                   .is_required = true,
                                   .thing = NamedThing::kSettings});
  options.push_back({.names = "--plugin-type",
                     .target = &words->plugin_type,
                     .help = "Type of the plugin, where two share a name"});
  return {.name = std::move(name),
          .help = std::move(help),
          .options = std::move(options),
          .result = [words, verb = std::move(verb)] { return words->with(verb()); }};
}

OptionSpec store_option(std::string* store) {
  return {.names = "--store",
          .target = store,
          .help =
              "auto, dotenv or meltano_yml; by itself secrets go to .env, all else to the "
              "project file"};
}

CommandSpec list_spec(const ConfigWordsPtr& words) {
  auto list = std::make_shared<ConfigListArguments>();
  return verb_spec(
      words, "list", "Settings with their values and where those come from",
      {{.names = "--extras", .target = &list->extras, .help = "Extras instead"},
       {.names = "--all", .target = &list->all, .help = "Those with defaults too"},
       {.names = "--filter", .target = &list->filter, .help = "Only names that contain this text"}},
      [list] { return *list; });
}

CommandSpec print_spec(const ConfigWordsPtr& words) {
  auto print = std::make_shared<ConfigPrintArguments>();
  return verb_spec(words, "print", "Settings that have a value",
                   {{.names = "--format",
                     .target = &print->format,
                     .help = "json unless it says otherwise",
                     .choices = {"json", "env"}},
                    {.names = "--extras", .target = &print->extras, .help = "Extras instead"}},
                   [print] { return *print; });
}

CommandSpec set_spec(const ConfigWordsPtr& words) {
  auto set = std::make_shared<ConfigSetArguments>();
  return verb_spec(words, "set", "Give a setting a value",
                   {{.names = "NAME",
                     .target = AllThatFollow{&set->words},
                     .help = "Name of the setting, its parts joined by dots or blanks, and the "
                             "value",
                     .is_required = true},
                    {.names = "--from-file",
                     .target = &set->from_file,
                     .help = "File that holds the value; - for stdin"},
                    store_option(&set->store)},
                   [set] { return *set; });
}

CommandSpec unset_spec(const ConfigWordsPtr& words) {
  auto unset = std::make_shared<ConfigUnsetArguments>();
  return verb_spec(words, "unset", "Take a setting's value away",
                   {{.names = "NAME",
                     .target = AllThatFollow{&unset->words},
                     .help = "Name of the setting, its parts joined by dots or blanks",
                     .is_required = true},
                    store_option(&unset->store)},
                   [unset] { return *unset; });
}

CommandSpec reset_spec(const ConfigWordsPtr& words) {
  auto reset = std::make_shared<ConfigResetArguments>();
  return verb_spec(words, "reset", "Take all values of a plugin away",
                   {store_option(&reset->store)}, [reset] { return *reset; });
}

CommandSpec test_spec(const ConfigWordsPtr& words) {
  auto test = std::make_shared<ConfigTestArguments>();
  return verb_spec(words, "test",
                   "Run a tap until its first row, or have a target load three, to see whether the "
                   "settings work",
                   install_options(test->install), [test] { return *test; });
}

}  // namespace

CommandSpec config_spec() {
  auto words = std::make_shared<ConfigWords>();
  return {.name = "config",
          .help = "Look at settings and change them",
          .options = {{.names = "--safe",
                       .target = &words->is_safe,
                       .help = "Secrets are masked; this is the default"},
                      {.names = "--unsafe",
                       .target = &words->is_unsafe,
                       .help = "Secrets are shown",
                       .excludes = "--safe"}},
          .commands = {list_spec(words), print_spec(words), set_spec(words), unset_spec(words),
                       reset_spec(words), test_spec(words)}};
}

}  // namespace tidemark::cli
