#include "tidemark/cli/exit_code.h"

#include <csignal>

namespace tidemark::cli {

ExitCode exit_code(ErrorCode code, int signal) {
  switch (code) {
    case ErrorCode::kLocked:
      return kLockedByAnother;
    case ErrorCode::kCancelled:
      return signal == SIGINT ? kInterrupted : signal == SIGTERM ? kTerminated : kFailed;
    default:
      return kFailed;
  }
}

}  // namespace tidemark::cli
