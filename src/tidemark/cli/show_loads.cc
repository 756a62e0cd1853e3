#include "tidemark/cli/show_loads.h"

#include <string>

#include <fmt/format.h>

#include "tidemark/json/write.h"

namespace tidemark::cli {

ExitCode show_loads(const Console& console, const std::vector<info::LoadInfo>& loads) {
  std::string text;
  json::Array array;
  ExitCode code = kDone;
  for (const info::LoadInfo& load : loads) {
    text += info::to_text(load, 1 + console.verbosity()) + "\n";
    array.push_back(info::to_json(load));
    if (load.has_failed_jobs()) {
      code = kDoneWithFailedJobs;
    }
  }
  console.result(console.is_json() ? json::write_pretty(std::move(array)) : text);
  if (code == kDoneWithFailedJobs) {
    console.warning(
        fmt::format("rows of failed jobs are not in the destination; 'tidemark pipeline "
                    "{} failed-jobs' shows why",
                    loads.front().pipeline_name));
  }
  return code;
}

}  // namespace tidemark::cli
