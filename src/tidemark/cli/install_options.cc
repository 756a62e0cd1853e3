#include "tidemark/cli/install_options.h"

namespace tidemark::cli {

std::vector<OptionSpec> install_options(InstallFlags& flags) {
  return {
      {"--install", &flags.install, "Plugins: install what is missing, as without this"},
      {.names = "--no-install",
       .target = &flags.no_install,
       .help = "Plugins: install nothing",
       .excludes = "--install"},
      {"--only-install", &flags.only_install, "Plugins: install what is missing, run nothing"},
  };
}

}  // namespace tidemark::cli
