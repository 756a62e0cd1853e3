#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidemark/config/node.h"
#include "tidemark/net/http.h"
#include "tidemark/net/retry.h"
#include "tidemark/os/files.h"
#include "tidemark/source/resource.h"

namespace tidemark::source {

// What declared sources run in.
struct SourceEnvironment {
  os::Path directory;  // relative paths are against it
  // How services are asked.
  net::HttpOptions http = {};
  net::RetryPolicy retry = {};
};

// The source that settings declare: a map with `type` and what that type takes. name is the
// schema's. Error kUnsupported for a type that does not exist, kInvalid with file, line and key
// path for everything else that can be seen before anything is read.
Source make_source(std::string name, const config::Node& node,
                   const SourceEnvironment& environment);

// The types there are, as users name them.
std::vector<std::string_view> source_types();

}  // namespace tidemark::source
