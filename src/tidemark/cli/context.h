#pragma once

#include "tidemark/base/cancellation.h"
#include "tidemark/base/clock.h"
#include "tidemark/base/random.h"
#include "tidemark/base/sleeper.h"
#include "tidemark/cli/streams.h"
#include "tidemark/os/directories.h"
#include "tidemark/os/environment.h"
#include "tidemark/os/processes.h"

namespace tidemark::cli {

// What a command sees of the world: passed in, so that tests can replace each part. Borrowed.
struct CliContext {
  Input* in = nullptr;
  Output* out = nullptr;  // results
  Output* err = nullptr;  // everything else
  const os::Environment* environment = nullptr;
  os::Surroundings surroundings;
  Clock* clock = nullptr;
  Random* random = nullptr;
  Sleeper* sleeper = nullptr;
  os::Processes* processes = nullptr;
  const Cancellation* cancellation = nullptr;
};

}  // namespace tidemark::cli
