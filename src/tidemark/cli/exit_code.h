#pragma once

#include "tidemark/base/error.h"

namespace tidemark::cli {

// What the program ends with, for scripts and schedulers.
enum ExitCode : int {
  kDone = 0,
  kFailed = 1,  // also a declined prompt, and a failed job whose package is left pending
  kUsage = 2,
  kDoneWithFailedJobs = 3,  // under raise_on_failed_jobs=false
  kLockedByAnother = 11,
  kInterrupted = 130,  // SIGINT; what was acknowledged is saved
  kTerminated = 143,   // SIGTERM
};

// For a command that ended with an error. signal is the one that stopped it, 0 for none.
ExitCode exit_code(ErrorCode code, int signal);

}  // namespace tidemark::cli
