#include <fmt/format.h>

#include "tidemark/cli/commands.h"
#include "tidemark/cli/workspace.h"
#include "tidemark/info/load_package.h"
#include "tidemark/json/write.h"

namespace tidemark::cli {
namespace {

using workdir::PackageStage;

std::string job_text(const info::LoadJobInfo& job, int verbosity) {
  std::string text =
      fmt::format("JOB: {}({})\nJOB file type: {}\nJOB file path: {}\n", job.job_file_info.job_id(),
                  job.job_file_info.table_name, job.job_file_info.file_format, job.file_path);
  if (verbosity > 0) {
    text += info::to_text(job, 0) + "\n";
  }
  return text + job.failed_message.value_or("") + "\n\n";
}

json::Value job_json(const std::string& load_id, const info::LoadJobInfo& job) {
  return json::Object{
      {"load_id", load_id},
      {"job_id", job.job_file_info.job_id()},
      {"table_name", job.job_file_info.table_name},
      {"file_format", job.job_file_info.file_format},
      {"file_path", job.file_path},
      {"failed_message", job.failed_message ? json::Value(*job.failed_message) : json::Value()}};
}

}  // namespace

ExitCode show_failed_jobs(const Console& console, std::string_view pipeline) {
  auto directory = open_to_read(console, pipeline);
  std::string text;
  json::Array array;
  for (PackageStage stage : {PackageStage::kLoaded, PackageStage::kNormalized}) {
    for (const std::string& load_id : directory->packages(stage)) {
      const info::LoadPackageInfo package = directory->package_info(load_id);
      text += fmt::format("Checking failed jobs in load id '{}'\n", load_id);
      for (const info::LoadJobInfo& job : package.jobs) {
        if (job.state == info::JobState::kFailed) {
          text += job_text(job, console.verbosity());
          array.push_back(job_json(load_id, job));
        }
      }
      if (package.count_jobs(info::JobState::kFailed) == 0) {
        text += "No failed jobs found\n";
      }
    }
  }
  if (console.is_json()) {
    console.result(json::write_pretty(std::move(array)));
  } else {
    console.result(text.empty() ? fmt::format("The pipeline {} has no packages yet", pipeline)
                                : text);
  }
  return kDone;
}

}  // namespace tidemark::cli
