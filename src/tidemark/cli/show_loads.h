#pragma once

#include <vector>

#include "tidemark/cli/console.h"
#include "tidemark/cli/exit_code.h"
#include "tidemark/info/load_info.h"

namespace tidemark::cli {

// What a run did, on stdout; the exit code that it means.
ExitCode show_loads(const Console& console, const std::vector<info::LoadInfo>& loads);

}  // namespace tidemark::cli
