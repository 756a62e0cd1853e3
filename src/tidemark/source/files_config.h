#pragma once

#include <string>

#include "tidemark/config/node.h"
#include "tidemark/os/files.h"
#include "tidemark/source/resource.h"

namespace tidemark::source {

// A source of `type: files`. One resource:
//
//   path: data/*.csv, format, delimiter, quote, header, null_values, pad_rows,
//   incremental: {cursor_path, ...}, ...hints
//
// named like the source; or several of them, each with its name:
//
//   resources: [{name, path, ...}]
//
// Relative paths are against directory. Error kInvalid with the place.
Source files_source(std::string name, const config::Node& node, const os::Path& directory);

}  // namespace tidemark::source
