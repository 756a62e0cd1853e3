#pragma once

#include <string>

#include "tidemark/cli/console.h"
#include "tidemark/project/project.h"

namespace tidemark::cli {

// Writes a timer and a service of systemd into the directory for each schedule that has a time, and
// prints the names of the files. What was written there before is replaced; Error kConflict for a
// unit of that name that is another's, kUnsupported for a folder, a name or an interval that a unit
// cannot say.
void export_schedules(const Console& console, const project::Project& project,
                      const std::string& directory);

}  // namespace tidemark::cli
