#pragma once

#include "tidemark/base/cancellation.h"
#include "tidemark/base/clock.h"
#include "tidemark/base/random.h"
#include "tidemark/base/sleeper.h"

namespace tidemark::os {
class Processes;
}

namespace tidemark::state {

// What leases, locks and saves need of the process. Borrowed: all of it outlives whoever gets it.
struct Context {
  Clock& clock;
  Sleeper& sleeper;
  Random& random;
  os::Processes& processes;
  const Cancellation& cancellation;
};

}  // namespace tidemark::state
