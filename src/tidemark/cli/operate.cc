#include "tidemark/cli/operate.h"

#include <algorithm>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/progress.h"
#include "tidemark/cli/workspace.h"

namespace tidemark::cli {
namespace {

// Asked while an error is on its way to the user: whatever goes wrong here must not take its place.
bool has_pending(const Console& console, const std::string& pipeline) {
  try {
    return !open_to_read(console, pipeline)->packages(workdir::PackageStage::kNormalized).empty();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::vector<info::LoadInfo> operate(
    const Console& console, const PipelineTarget& target,
    const std::function<std::vector<info::LoadInfo>(pipeline::Pipeline&)>& body) {
  const std::string& name = target.options.name;
  try {
    Progress progress(console);
    pipeline::Pipeline opened(target.options, runtime(console, target, &progress));
    return body(opened);
  } catch (const Error& error) {
    // Who holds the lock will finish its packages itself.
    if (error.code() == ErrorCode::kLocked || error.code() == ErrorCode::kInternal ||
        !has_pending(console, name)) {
      throw;
    }
    throw Error(error.code(),
                fmt::format("{}\nWhat was extracted is kept: 'tidemark pipeline {} retry' or the "
                            "next run loads it, 'tidemark pipeline {} abort-packages' gives it up",
                            error.message(), name, name));
  }
}

bool is_nothing_new(const std::vector<info::LoadInfo>& loads) {
  return std::ranges::all_of(loads, [](const info::LoadInfo& load) { return load.is_empty(); });
}

}  // namespace tidemark::cli
