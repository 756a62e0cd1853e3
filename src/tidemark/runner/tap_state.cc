#include "tidemark/runner/tap_state.h"

#include <string>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/json/write.h"
#include "tidemark/os/scratch_files.h"
#include "tidemark/project/plugin_installation.h"

namespace tidemark::runner {
namespace {

std::string read_custom(const RunContext& context, const std::string& name) {
  const std::optional<std::string> text = os::read_file_if_exists(context.project.root() / name);
  if (!text) throw Error(ErrorCode::kNotFound, fmt::format("Could not find state file {}", name));
  context.log.info(fmt::format("Found state in {}", name));
  return *text;
}

std::optional<std::string> state_text(const RunContext& context, const PreparedPlugin& tap,
                                      const std::optional<json::Value>& start,
                                      bool is_full_refresh) {
  if (is_full_refresh) {
    context.log.info("Performing full refresh, ignoring state left behind by any previous runs.");
    return std::nullopt;
  }
  const config::Node custom = tap.settings.find("_state").value;
  if (custom.is_string() && !custom.string().empty()) return read_custom(context, custom.string());
  if (!start) {
    context.log.warning("No state was found, complete import.");
    return std::nullopt;
  }
  return json::write_python_pretty(*start);
}

}  // namespace

std::optional<os::Path> write_state(const RunContext& context, const PreparedPlugin& tap,
                                    const std::optional<json::Value>& start, bool is_full_refresh) {
  if (!project::has_capability(tap.plugin, "state")) return std::nullopt;
  const std::optional<std::string> text = state_text(context, tap, start, is_full_refresh);
  if (!text || text->empty()) return std::nullopt;
  os::Path file = tap.folder / "state.json";
  os::write_scratch_file(file, *text);
  return file;
}

}  // namespace tidemark::runner
