#include <fmt/format.h>

#include "tidemark/cli/commands.h"
#include "tidemark/cli/workspace.h"
#include "tidemark/info/trace.h"
#include "tidemark/json/write.h"

namespace tidemark::cli {

ExitCode show_trace(const Console& console, std::string_view pipeline) {
  const auto trace = open_to_read(console, pipeline)->read_trace();
  if (!trace) {
    console.warning(fmt::format("Pipeline {} does not have last run trace.", pipeline));
  }
  if (console.is_json()) {
    console.result(trace ? json::write_pretty(info::to_json(*trace)) : "null");
  } else if (trace) {
    console.result(info::to_text(*trace, console.verbosity()));
  }
  return kDone;
}

}  // namespace tidemark::cli
