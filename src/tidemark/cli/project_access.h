#pragma once

#include <optional>

#include "tidemark/cli/console.h"
#include "tidemark/project/project.h"
#include "tidemark/project/project_writer.h"

namespace tidemark::cli {

// The project of the current folder, with the environment that the command line asks for. Nothing
// where there is none.
std::optional<project::Project> find_project(const Console& console, project::EnvironmentUse use);

// The same; Error kNotFound where there is none. Says so when `use` leaves the project's default
// environment out.
project::Project open_project(const Console& console, project::EnvironmentUse use);

// Who changes the project's files.
project::ProjectWriter open_writer(const Console& console, const project::Project& project);

}  // namespace tidemark::cli
