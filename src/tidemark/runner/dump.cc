#include "tidemark/runner/dump.h"

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/project/plugin_variables.h"
#include "tidemark/runner/tap_catalog.h"
#include "tidemark/runner/tap_state.h"

namespace tidemark::runner {
namespace {

std::string read_dumped(const std::optional<os::Path>& file, std::string_view what) {
  if (file) return os::read_file(*file);
  throw Error(ErrorCode::kNotFound, fmt::format("Could not find {} file for this pipeline", what));
}

}  // namespace

std::string dump(const RunContext& context, const RunDirectory& directory,
                 const project::BlockSet& set, const std::optional<json::Value>& start,
                 const SetOptions& options, DumpedFile file) {
  const PreparedPlugin tap =
      prepare_plugin(context, set.tap, directory.make_folder("tap"), options.tap_overrides, {});
  if (file == DumpedFile::kExtractorConfig) return os::read_file(tap.config_file);
  if (file == DumpedFile::kLoaderConfig) {
    const PreparedPlugin target =
        prepare_plugin(context, set.target, directory.make_folder("target"), config::Node::map({}),
                       project::handed_on_by(set.tap, tap.settings));
    return os::read_file(target.config_file);
  }
  const std::optional<os::Path> state = write_state(context, tap, start, options.is_full_refresh);
  if (file == DumpedFile::kState) return read_dumped(state, "state");
  std::vector<std::string> arguments;
  if (state) arguments = {"--state", state->native()};
  const bool is_refreshed = options.is_full_refresh || options.refreshes_catalog;
  return read_dumped(write_catalog(context, tap, arguments, is_refreshed), "catalog");
}

}  // namespace tidemark::runner
