#include "tidemark/runner/observed_links.h"

#include <chrono>
#include <functional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tidemark/runner/lines.h"

namespace tidemark::runner {
namespace {

constexpr std::chrono::seconds kProgressPause{10};

// Empty when nobody wants to see lines.
std::function<void(std::string_view line)> shown_line(Log& log, const std::string& plugin) {
  if (!log.shows(LogLevel::kDebug)) return {};
  return [&log, plugin](std::string_view line) {
    log.plugin(plugin, LogLevel::kDebug, readable(line), {{"stdio", "stdout"}});
  };
}

}  // namespace

ObservedLinks::Link::Link(std::string from, std::string to, Log& log)
    : name(fmt::format("{} to {}", from, to)), observation(shown_line(log, from)) {}

ObservedLinks::ObservedLinks(std::vector<Launch>& launches, Log& log) : log_(log) {
  for (size_t i = 0; i + 1 < launches.size(); ++i) {
    links_.push_back(std::make_unique<Link>(launches[i].name, launches[i + 1].name, log));
    launches[i].look = [&observation = links_.back()->observation](std::string_view bytes) {
      observation.add(bytes);
    };
  }
  progress_.emplace(kProgressPause, [this] {
    say_progress();
    return kProgressPause;
  });
}

void ObservedLinks::say_progress() {
  for (const auto& link : links_) {
    log_.info(fmt::format("From {} so far: {}", link->name, link->observation.passed().summary()));
  }
}

void ObservedLinks::finish() {
  progress_.reset();
  for (const auto& link : links_) {
    link->observation.finish();
    const Passed passed = link->observation.passed();
    const std::string by_stream = passed.by_stream();
    log_.info(fmt::format("From {}: {}{}{}", link->name, passed.summary(),
                          by_stream.empty() ? "" : "\n", by_stream),
              passed.fields());
  }
}

}  // namespace tidemark::runner
