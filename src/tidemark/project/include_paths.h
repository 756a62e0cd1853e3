#pragma once

#include <string>
#include <vector>

#include "tidemark/config/node.h"
#include "tidemark/os/files.h"

namespace tidemark::project {

// The files that `include_paths` of the project file names: patterns relative to root, `**` for any
// depth, in the order of the patterns, then of the paths. The project file itself is left out, a
// file that two patterns match is there once. Error kInvalid for a match that is no file or lies
// outside of root.
std::vector<os::Path> find_included_files(const config::Node& include_paths, const os::Path& root,
                                          const os::Path& project_file);

// Both documents in one: maps member by member, lists one behind the other, else over wins.
config::Node merge_documents(const config::Node& under, const config::Node& over);

}  // namespace tidemark::project
