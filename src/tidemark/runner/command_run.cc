#include "tidemark/runner/command_run.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/project/plugin_command.h"
#include "tidemark/project/plugin_installation.h"
#include "tidemark/runner/lines.h"

namespace tidemark::runner {
namespace {

Launch launch_of(const RunContext& context, const PreparedPlugin& prepared,
                 const std::optional<std::string>& name) {
  if (name) return command_launch(context, prepared, *name);
  return {prepared.plugin.name(), prepared.program, {}, prepared.environment};
}

}  // namespace

Launch command_launch(const RunContext& context, const PreparedPlugin& prepared,
                      const std::string& name) {
  Launch launch{prepared.plugin.name(), prepared.program, {}, prepared.environment};
  const project::PluginCommand command = project::find_command(prepared.plugin, name);
  launch.arguments = project::command_arguments(command, prepared.environment);
  if (command.executable) {
    launch.program = project::find_executable(context.project, prepared.plugin, *command.executable,
                                              prepared.environment);
  }
  return launch;
}

void run_command(const RunContext& context, const RunDirectory& directory,
                 const project::CommandBlock& block) {
  const std::string& name = block.plugin.name();
  const PreparedPlugin prepared =
      prepare_plugin(context, block.plugin, directory.make_folder(name), config::Node::map({}), {});
  const auto log = [&](std::string_view line) { log_plugin_line(context.log, prepared, line); };
  LineSplitter lines(Chain::kLongestLogLine);
  const auto log_output = [&](std::string_view line) {
    if (const std::string text = readable(line); !text.empty()) log(text);
  };
  Chain chain({launch_of(context, prepared, block.command)}, {});
  const std::vector<PluginEnd> ends =
      chain.wait({.log_line = [&](size_t, std::string_view line) { log(line); },
                  .output = [&](std::string_view bytes) { lines.add(bytes, log_output); },
                  .ask = [&] { return context.control.ask(); }});
  lines.finish(log_output);
  context.control.throw_if_stopped();
  if (ends.front().end.is_success()) return;
  throw Error(ErrorCode::kInvalid,
              fmt::format("`{}{}{}` failed with {}", name, block.command ? " " : "",
                          block.command.value_or(""), describe(ends.front().end)));
}

}  // namespace tidemark::runner
