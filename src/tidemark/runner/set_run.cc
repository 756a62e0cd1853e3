#include "tidemark/runner/set_run.h"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tidemark/base/error.h"
#include "tidemark/project/plugin_variables.h"
#include "tidemark/runner/lines.h"
#include "tidemark/runner/observed_links.h"
#include "tidemark/runner/tap_catalog.h"
#include "tidemark/runner/tap_state.h"

namespace tidemark::runner {
namespace {

using project::BlockSet;
using project::Plugin;

std::vector<const Plugin*> plugins_of(const BlockSet& set) {
  std::vector<const Plugin*> plugins{&set.tap};
  for (const Plugin& mapper : set.mappers) plugins.push_back(&mapper);
  plugins.push_back(&set.target);
  return plugins;
}

// From the tap to the target: each may use the settings of those in front of it.
std::vector<PreparedPlugin> prepare(const RunContext& context, const RunDirectory& directory,
                                    const BlockSet& set, const SetOptions& options) {
  std::vector<PreparedPlugin> prepared;
  os::Environment handed_on;
  for (const Plugin* plugin : plugins_of(set)) {
    const os::Path folder =
        directory.make_folder(fmt::format("{}-{}", prepared.size(), plugin->name()));
    const config::Node overrides = prepared.empty() ? options.tap_overrides : config::Node::map({});
    prepared.push_back(prepare_plugin(context, *plugin, folder, overrides, handed_on));
    handed_on =
        project::overlay(handed_on, project::handed_on_by(*plugin, prepared.back().settings));
  }
  return prepared;
}

std::vector<std::string> tap_arguments(const RunContext& context, const PreparedPlugin& tap,
                                       const std::optional<json::Value>& start,
                                       const SetOptions& options) {
  std::vector<std::string> state;
  if (const auto file = write_state(context, tap, start, options.is_full_refresh)) {
    state = {"--state", file->native()};
  }
  const bool is_refreshed = options.is_full_refresh || options.refreshes_catalog;
  std::vector<std::string> arguments =
      catalog_arguments(tap, write_catalog(context, tap, state, is_refreshed));
  arguments.insert(arguments.end(), state.begin(), state.end());
  return arguments;
}

// Half of it, as in Meltano: what a message may have.
size_t longest_line(const RunContext& context) {
  const config::Node size = context.project.settings().find("elt.buffer_size").value;
  const int64_t bytes = size.is_null() ? 0 : size.integer();
  return static_cast<size_t>(std::max<int64_t>(bytes / 2, 1024));
}

// Makes lines of a target's output.
class OutputLines {
 public:
  OutputLines(size_t longest, std::string target, LineSplitter::Visit visit)
      : longest_(longest), target_(std::move(target)), visit_(std::move(visit)), lines_(longest) {}

  void add(std::string_view bytes) {
    lines_.add(bytes, [this](std::string_view line) { pass_on(line); });
  }
  void finish() {
    lines_.finish([this](std::string_view line) { pass_on(line); });
  }

 private:
  void pass_on(std::string_view line) const {
    if (line.size() >= longest_) {
      throw Error(ErrorCode::kInvalid,
                  fmt::format("Output line length limit exceeded: {} wrote a line of more than {} "
                              "bytes; the setting elt.buffer_size is twice what it may have",
                              target_, longest_));
    }
    if (line.find_first_not_of(" \t\r\n\v\f") != std::string_view::npos) visit_(line);
  }

  size_t longest_;
  std::string target_;
  LineSplitter::Visit visit_;
  LineSplitter lines_;
};

std::string detail_of(const PluginEnd& end) {
  std::string text = fmt::format("{} ended with {}", end.name, describe(end.end));
  if (end.ended_early) text += " while there was more to be written to it";
  if (!end.last_lines.empty()) {
    text += fmt::format("; its last lines:\n  {}", fmt::join(end.last_lines, "\n  "));
  }
  return text;
}

}  // namespace

std::optional<SetFailure> run_plugins(const RunContext& context, const RunDirectory& directory,
                                      const BlockSet& set, const std::optional<json::Value>& start,
                                      const SetOptions& options, const SetEvents& events) {
  const std::vector<PreparedPlugin> prepared = prepare(context, directory, set, options);
  std::vector<Launch> launches{
      prepared.front().launch(tap_arguments(context, prepared.front(), start, options))};
  for (size_t i = 1; i < prepared.size(); ++i) launches.push_back(prepared[i].launch());
  OutputLines lines(longest_line(context), set.target.name(), events.output_line);
  std::optional<ObservedLinks> observed;
  if (options.is_observed || context.log.shows(LogLevel::kDebug)) {
    observed.emplace(launches, context.log);
  }
  Chain chain(std::move(launches), options.grace);
  if (events.started) events.started(chain);
  const std::vector<PluginEnd> ends =
      chain.wait({.log_line =
                      [&](size_t plugin, std::string_view line) {
                        log_plugin_line(context.log, prepared[plugin], line);
                      },
                  .output = [&](std::string_view bytes) { lines.add(bytes); },
                  .ask = [&] { return context.control.ask(); }});
  lines.finish();
  if (observed) observed->finish();
  auto failure = failure_of(ends);
  if (failure && !observed) {
    context.log.info("With --observe a run says what passed between its plugins");
  }
  return failure;
}

std::optional<SetFailure> failure_of(const std::vector<PluginEnd>& ends) {
  const bool tap = ends.front().has_failed();
  const bool target = ends.back().has_failed();
  std::string reason = "Mappers failed";
  if (tap && target) {
    reason = "Extractor and loader failed";
  } else if (tap || target) {
    reason = tap ? "Extractor failed" : "Loader failed";
  }
  std::vector<std::string> details;
  for (const PluginEnd& end : ends) {
    if (end.has_failed()) details.push_back(detail_of(end));
  }
  if (details.empty()) return std::nullopt;
  return SetFailure{std::move(reason), fmt::format("{}", fmt::join(details, "\n"))};
}

}  // namespace tidemark::runner
