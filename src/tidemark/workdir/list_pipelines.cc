#include <algorithm>

#include "tidemark/base/random.h"
#include "tidemark/workdir/layout.h"
#include "tidemark/workdir/package_files.h"
#include "tidemark/workdir/working_directory.h"

namespace tidemark::workdir {
namespace {

// When the newer of the two traces was written.
std::optional<Time> last_run(const Layout& layout) {
  std::optional<Time> last;
  for (const os::Path& trace : {layout.trace_file(), layout.dlt_trace_file()}) {
    if (os::path_exists(trace)) last = std::max(last, std::optional(modification_time(trace)));
  }
  return last;
}

}  // namespace

std::vector<PipelineEntry> list_pipelines(const std::filesystem::path& pipelines_dir) {
  std::vector<PipelineEntry> pipelines;
  SystemRandom random;
  for (const std::string& name : os::list_directory(pipelines_dir)) {
    if (!std::filesystem::is_directory(pipelines_dir / name)) continue;
    pipelines.push_back({name, last_run(Layout(pipelines_dir / name, random))});
  }
  std::stable_sort(pipelines.begin(), pipelines.end(),
                   [](const auto& a, const auto& b) { return a.last_run > b.last_run; });
  return pipelines;
}

}  // namespace tidemark::workdir
