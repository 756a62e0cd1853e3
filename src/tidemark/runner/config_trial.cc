#include "tidemark/runner/config_trial.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/os/scratch_files.h"
#include "tidemark/runner/lines.h"
#include "tidemark/runner/tap_catalog.h"
#include "tidemark/singer/object_scanner.h"

namespace tidemark::runner {
namespace {

constexpr std::string_view kMessages =
    R"({"type": "SCHEMA", "stream": "meltano_test_stream", "schema": {"type": "object", "properties": {"id": {"type": "integer"}, "name": {"type": ["string", "null"]}}}, "key_properties": ["id"]}
{"type": "RECORD", "stream": "meltano_test_stream", "record": {"id": 1, "name": "first"}}
{"type": "RECORD", "stream": "meltano_test_stream", "record": {"id": 2, "name": "second"}}
{"type": "RECORD", "stream": "meltano_test_stream", "record": {"id": 3, "name": null}}
{"type": "STATE", "value": {"bookmarks": {"meltano_test_stream": {"id": 3}}}}
)";

// Of a message; Meltano's limit is half of it.
constexpr size_t kLongestMessage = size_t{100} << 20;

bool is_row(std::string_view line) {
  singer::ObjectScanner members(line);
  while (members.next()) {
    if (members.key() != "\"type\"") continue;
    return members.value() == "\"RECORD\"" || members.value() == "\"BATCH\"";
  }
  return false;
}

Error fault_of(const PluginEnd& end) {
  return {ErrorCode::kInvalid, end.last_lines.empty()
                                   ? fmt::format("{} ended with {}", end.name, describe(end.end))
                                   : end.last_lines.back()};
}

}  // namespace

void try_tap(const RunContext& context, const PreparedPlugin& tap) {
  Launch launch = tap.launch(catalog_arguments(tap, write_catalog(context, tap, {}, true)));
  bool has_row = false;
  LineSplitter lines(kLongestMessage);
  const auto look = [&](std::string_view line) { has_row = has_row || is_row(line); };
  Chain chain({std::move(launch)}, {});
  const std::vector<PluginEnd> ends = chain.wait(
      {.log_line = [&](size_t, std::string_view line) { log_plugin_line(context.log, tap, line); },
       .output = [&](std::string_view bytes) { lines.add(bytes, look); },
       .ask = [&] { return has_row ? Stop::kDrain : context.control.ask(); }});
  lines.finish(look);
  if (has_row) return;
  context.control.throw_if_stopped();
  if (!ends.front().end.is_success()) throw fault_of(ends.front());
  throw Error(ErrorCode::kInvalid,
              fmt::format("{} ended without a RECORD or BATCH message: nothing is selected, or "
                          "there is nothing to extract",
                          tap.plugin.name()));
}

void try_target(const RunContext& context, const PreparedPlugin& target) {
  Launch launch = target.launch();
  launch.input = target.folder / "messages.jsonl";
  os::write_scratch_file(launch.input, kMessages);
  Chain chain({std::move(launch)}, {});
  const std::vector<PluginEnd> ends = chain.wait(
      {.log_line = [&](size_t,
                       std::string_view line) { log_plugin_line(context.log, target, line); },
       .output = [](std::string_view) {},
       .ask = [&] { return context.control.ask(); }});
  context.control.throw_if_stopped();
  if (!ends.front().end.is_success()) throw fault_of(ends.front());
}

}  // namespace tidemark::runner
