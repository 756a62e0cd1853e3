#pragma once

#include "tidemark/cli/config_target.h"
#include "tidemark/cli/exit_code.h"

namespace tidemark::cli {

// Tries whether a tap or a target works with its settings. Error kUnsupported for anything else.
ExitCode try_config(const Console& console, const ConfigTarget& target,
                    const ConfigTestArguments& arguments);

}  // namespace tidemark::cli
