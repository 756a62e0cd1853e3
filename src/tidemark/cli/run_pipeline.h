#pragma once

#include <string_view>

#include "tidemark/cli/arguments.h"
#include "tidemark/cli/console.h"
#include "tidemark/cli/exit_code.h"

namespace tidemark::cli {

// Runs a pipeline of the project and shows what it loaded; with `dry_run` what it would run.
ExitCode run_pipeline(const Console& console, std::string_view name, const RunArguments& arguments);

}  // namespace tidemark::cli
