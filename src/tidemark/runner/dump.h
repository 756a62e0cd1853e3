#pragma once

#include <optional>
#include <string>

#include "tidemark/json/value.h"
#include "tidemark/project/blocks.h"
#include "tidemark/runner/prepared_plugin.h"
#include "tidemark/runner/run_directory.h"
#include "tidemark/runner/set_run.h"

namespace tidemark::runner {

// A file that a set's plugins would get.
enum class DumpedFile { kCatalog, kState, kExtractorConfig, kLoaderConfig };

// Its text, secrets included. start is the state that the tap would start from. Error kNotFound
// when there is none.
std::string dump(const RunContext& context, const RunDirectory& directory,
                 const project::BlockSet& set, const std::optional<json::Value>& start,
                 const SetOptions& options, DumpedFile file);

}  // namespace tidemark::runner
