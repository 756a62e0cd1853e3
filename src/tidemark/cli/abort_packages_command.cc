#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tidemark/cli/commands.h"
#include "tidemark/cli/pipeline_target.h"
#include "tidemark/cli/workspace.h"
#include "tidemark/json/write.h"

namespace tidemark::cli {
namespace {

// What will be given up, package by package.
std::string plan_text(const workdir::WorkingDirectory& directory,
                      const std::vector<std::string>& load_ids) {
  std::string text = "These packages are given up, with the cursors they brought:\n";
  for (const std::string& load_id : load_ids) {
    const info::LoadPackageInfo package = directory.package_info(load_id);
    const size_t completed = package.count_jobs(info::JobState::kCompleted);
    text += fmt::format("{}: {} job(s), of which {} are loaded already\n", load_id,
                        package.jobs.size(), completed);
  }
  return text;
}

}  // namespace

ExitCode abort_packages(const Console& console, std::string_view pipeline) {
  std::vector<std::string> aborted;
  auto directory = open_to_read(console, pipeline);
  if (const auto pending = directory->pending_packages(); !pending.empty()) {
    console.note(plan_text(*directory, pending));
    console.confirm("Do you want to abort them? Their rows are not loaded unless extracted again.");
    const PipelineTarget target = find_pipeline(console, pipeline);
    pipeline::Pipeline opened(target.options, runtime(console, target, nullptr));
    aborted = opened.abort_packages();
  }
  if (console.is_json()) {
    console.result(
        json::write(json::Object{{"aborted", json::Array(aborted.begin(), aborted.end())}}));
  } else {
    console.result(aborted.empty()
                       ? fmt::format("The pipeline {} has no pending packages", pipeline)
                       : fmt::format("Aborted {}", fmt::join(aborted, ", ")));
  }
  return kDone;
}

}  // namespace tidemark::cli
