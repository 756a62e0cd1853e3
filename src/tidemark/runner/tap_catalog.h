#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/runner/prepared_plugin.h"

namespace tidemark::runner {

// Writes the catalog that a tap is to extract by: the file that the extra `catalog` names, else
// what the tap says for `--discover`, or said before when nothing about it has changed, with the
// rules of the extras applied. arguments are what the tap gets beside its configuration. The file;
// nothing for a tap that has no catalog. Error kInvalid or kNotFound when there should be one.
std::optional<os::Path> write_catalog(const RunContext& context, const PreparedPlugin& tap,
                                      const std::vector<std::string>& arguments, bool is_refreshed);

// How a tap is told of its catalog; nothing for one that takes none.
std::vector<std::string> catalog_arguments(const PreparedPlugin& tap,
                                           const std::optional<os::Path>& catalog);

// What a tap prints for `--discover` behind these arguments. Error kInvalid with its last lines
// when it fails; what the context's control throws when it is stopped.
std::string discover(const RunContext& context, const PreparedPlugin& tap,
                     const std::vector<std::string>& arguments);

// Meltano's key of a catalog in its cache: a hash of all that it depends on. Empty for a plugin
// whose catalog is never taken from there.
std::string catalog_cache_key(const project::Plugin& tap, const project::LayeredSettings& settings);

}  // namespace tidemark::runner
