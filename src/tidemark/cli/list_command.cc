#include <chrono>

#include <fmt/format.h>

#include "tidemark/base/datetime.h"
#include "tidemark/cli/commands.h"
#include "tidemark/cli/workspace.h"
#include "tidemark/json/write.h"

namespace tidemark::cli {
namespace {

std::string count_of(int64_t count, std::string_view unit) {
  return fmt::format("{} {}{} ago", count, unit, count == 1 ? "" : "s");
}

std::string ago(std::chrono::microseconds duration) {
  using namespace std::chrono;
  if (duration < minutes(1)) {
    return count_of(std::max<int64_t>(0, floor<seconds>(duration).count()), "second");
  }
  if (duration < hours(1)) {
    return count_of(floor<minutes>(duration).count(), "minute");
  }
  return duration < days(1) ? count_of(floor<hours>(duration).count(), "hour")
                            : count_of(floor<days>(duration).count(), "day");
}

std::string last_run_text(const std::optional<Time>& last_run, Time now) {
  if (!last_run) {
    return "never";
  }
  const auto seconds = std::chrono::floor<std::chrono::seconds>(*last_run);
  return fmt::format("{} ({:.19})", ago(now - *last_run), format_iso(Time(seconds), ' '));
}

}  // namespace

ExitCode list_pipelines(const Console& console) {
  const auto directory = pipelines_dir(console);
  const auto entries = workdir::list_pipelines(directory);
  if (console.is_json()) {
    json::Array array;
    for (const workdir::PipelineEntry& entry : entries) {
      array.emplace_back(json::Object{
          {"name", entry.name},
          {"last_run", entry.last_run ? json::Value(format_iso(*entry.last_run)) : json::Value()}});
    }
    console.result(json::write_pretty(
        json::Object{{"pipelines_dir", directory.string()}, {"pipelines", std::move(array)}}));
    return kDone;
  }
  if (entries.empty()) {
    console.result(fmt::format("No pipelines found in {}", directory.string()));
    return kDone;
  }
  std::string text = fmt::format("{} pipelines found in {}\n", entries.size(), directory.string());
  for (const workdir::PipelineEntry& entry : entries) {
    text += fmt::format("{} (last run: {})\n", entry.name,
                        last_run_text(entry.last_run, console.context().clock->now()));
  }
  console.result(text);
  return kDone;
}

}  // namespace tidemark::cli
