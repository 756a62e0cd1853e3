#pragma once

#include <string>

#include "tidemark/cli/context.h"

namespace tidemark::cli {

// `user@host`: who works, for leases and histories.
std::string who_works(const CliContext& context);

// $TIDEMARK_JOB_TRIGGER, else Meltano's: what set the command off. `cli` when neither is set.
std::string job_trigger(const CliContext& context);

}  // namespace tidemark::cli
