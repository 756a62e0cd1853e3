#pragma once

#include "tidemark/base/clock.h"
#include "tidemark/base/datetime.h"

namespace tidemark::os {

// The wall clock of this process's time zone ($TZ, else the machine's) at that moment, with its
// offset. Thread-safe while nobody changes $TZ.
DateTime local_time(Time time);

}  // namespace tidemark::os
