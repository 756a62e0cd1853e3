#include "tidemark/source/registry.h"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tidemark/base/error.h"
#include "tidemark/source/files_config.h"
#include "tidemark/source/rest_config.h"

namespace tidemark::source {
namespace {

Source files_from(std::string name, const config::Node& node,
                  const SourceEnvironment& environment) {
  return files_source(std::move(name), node, environment.directory);
}

Source rest_from(std::string name, const config::Node& node, const SourceEnvironment& environment) {
  return rest::make_source(std::move(name), node,
                           rest::make_transport(environment.http, environment.retry));
}

struct Type {
  std::string_view name;
  Source (*make)(std::string name, const config::Node& node, const SourceEnvironment& environment);
};

// Every source there is.
constexpr std::array kTypes = {
    Type{"files", files_from},
    Type{"rest", rest_from},
};

}  // namespace

Source make_source(std::string name, const config::Node& node,
                   const SourceEnvironment& environment) {
  const config::Node type_node = node.require("type");
  const std::string type = type_node.string();
  for (const Type& known : kTypes) {
    if (known.name == type) {
      return known.make(std::move(name), node, environment);
    }
  }
  throw Error(ErrorCode::kUnsupported,
              type_node
                  .error(fmt::format("there is no source of type {}; there are: {}", type,
                                     fmt::join(source_types(), ", ")))
                  .message());
}

std::vector<std::string_view> source_types() {
  std::vector<std::string_view> names;
  for (const Type& type : kTypes) {
    names.push_back(type.name);
  }
  return names;
}

}  // namespace tidemark::source
