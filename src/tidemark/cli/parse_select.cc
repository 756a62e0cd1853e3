#include <memory>
#include <utility>
#include <vector>

#include "tidemark/cli/install_options.h"
#include "tidemark/cli/parse_commands.h"

namespace tidemark::cli {

CommandSpec select_spec() {
  auto select = std::make_shared<SelectArguments>();
  std::vector<OptionSpec> options{
      {.names = "EXTRACTOR",
       .target = &select->extractor,
       .help = "Name of the extractor",
       .is_required = true,
       .thing = NamedThing::kPlugin},
      {"STREAMS", &select->streams, "Glob for streams; all without one"},
      {"PROPERTIES", &select->properties, "Glob for their properties; all without one"},
      {"--exclude", &select->exclude, "Leave these out instead"},
      {"--rm", &select->remove, "Take the pattern off the list"},
      {"--remove", &select->remove, "The same"},
      {"--clear", &select->clear, "Take all patterns away"},
      {"--list", &select->list, "Show what is selected; --json does too"},
      {"--all", &select->all, "Show what is not selected too"},
      {"--refresh-catalog", &select->refresh_catalog,
       "Ask the extractor again what there is to be shown"},
  };
  for (OptionSpec& option : install_options(select->install)) options.push_back(std::move(option));
  return {.name = "select",
          .help = "Choose what an extractor extracts",
          .options = std::move(options),
          .result = [select] { return *select; }};
}

}  // namespace tidemark::cli
