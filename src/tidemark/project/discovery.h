#pragma once

#include <optional>

#include "tidemark/os/environment.h"
#include "tidemark/os/files.h"

namespace tidemark::project {

// The project file to use, absolute and without links: `tidemark.yml`, else `meltano.yml`, in the
// nearest directory from `from` upwards that has one. $TIDEMARK_PROJECT_ROOT, else
// $MELTANO_PROJECT_ROOT, names the only directory to look in: without a project file there it is
// Error kNotFound.
std::optional<os::Path> find_project_file(const os::Environment& environment, const os::Path& from);

}  // namespace tidemark::project
