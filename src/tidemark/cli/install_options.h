#pragma once

#include <vector>

#include "tidemark/cli/command_spec.h"

namespace tidemark::cli {

// --install, --no-install and --only-install.
std::vector<OptionSpec> install_options(InstallFlags& flags);

}  // namespace tidemark::cli
