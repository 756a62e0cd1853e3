#include "tidemark/runner/invoke.h"

#include <chrono>
#include <csignal>
#include <utility>

#include <unistd.h>

#include "tidemark/runner/command_run.h"
#include "tidemark/runner/lines.h"
#include "tidemark/runner/tap_catalog.h"

namespace tidemark::runner {
namespace {

Launch launch_of(const RunContext& context, const PreparedPlugin& prepared,
                 const Invocation& invocation) {
  if (invocation.command) return command_launch(context, prepared, *invocation.command);
  const bool is_tap = prepared.plugin.type() == project::PluginType::kExtractors;
  if (!is_tap || !invocation.words.empty()) return prepared.launch();
  return prepared.launch(catalog_arguments(
      prepared, write_catalog(context, prepared, {}, invocation.refreshes_catalog)));
}

// For whoever the plugin left behind to let go of its standard error.
constexpr std::chrono::seconds kToClose{2};

// The keyboard's signals reach the plugin by itself; one that is sent to us alone is handed on.
os::ChildEnd wait_for(const RunContext& context, const os::Child& child, os::FileDescriptor errors,
                      const LineSplitter::Visit& log) {
  constexpr std::chrono::milliseconds kTick{100};
  constexpr size_t kBytesAtOnce = size_t{64} << 10;
  LineSplitter lines(Chain::kLongestLogLine);
  bool was_told = false;
  std::optional<std::chrono::steady_clock::time_point> ended_at;
  while (errors.is_open() || !child.end()) {
    if (child.end() && !ended_at) ended_at = std::chrono::steady_clock::now();
    if (ended_at && std::chrono::steady_clock::now() - *ended_at >= kToClose) break;
    std::vector<int> descriptors{child.end_descriptor()};
    if (errors.is_open()) descriptors.push_back(errors.get());
    const std::vector<bool> ready = os::wait_readable(descriptors, kTick);
    if (ready.size() > 1 && ready[1]) {
      const std::string bytes = os::read_some(errors, kBytesAtOnce);
      if (bytes.empty()) errors = os::FileDescriptor();
      lines.add(bytes, log);
    } else if (child.end()) {
      break;  // somebody whom it left behind holds its standard error
    }
    if (context.control.has_signal() && context.control.signal() == SIGTERM && !was_told) {
      was_told = true;
      child.send_signal(SIGTERM);
    }
  }
  lines.finish(log);
  return *child.end();
}

}  // namespace

os::ChildEnd invoke(const RunContext& context, const PreparedPlugin& prepared,
                    const Invocation& invocation) {
  Launch launch = launch_of(context, prepared, invocation);
  launch.arguments.insert(launch.arguments.end(), invocation.words.begin(), invocation.words.end());
  os::Pipe errors = os::make_pipe();
  const auto child = os::Child::start({.program = launch.program,
                                       .arguments = launch.arguments,
                                       .environment = launch.environment,
                                       .in = STDIN_FILENO,
                                       .out = STDOUT_FILENO,
                                       .err = errors.write.get(),
                                       .has_own_group = false});
  errors.write = os::FileDescriptor();
  return wait_for(context, *child, std::move(errors.read), [&](std::string_view line) {
    if (const std::string text = readable(line); !text.empty()) {
      log_plugin_line(context.log, prepared, text);
    }
  });
}

}  // namespace tidemark::runner
