#include "tidemark/state/unsaved.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/datetime.h"
#include "tidemark/base/error.h"
#include "tidemark/base/hash.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"
#include "tidemark/state/record_fields.h"

namespace tidemark::state {
namespace {

constexpr std::string_view kSuffix = ".json";
constexpr std::array<std::pair<StateStrategy, std::string_view>, 3> kStrategies = {{
    {StateStrategy::kAuto, "auto"},
    {StateStrategy::kMerge, "merge"},
    {StateStrategy::kOverwrite, "overwrite"},
}};

StateStrategy read_strategy(std::string_view name) {
  const auto found =
      std::ranges::find(kStrategies, name, [](const auto& pair) { return pair.second; });
  if (found == kStrategies.end()) {
    throw Error(ErrorCode::kInvalid, fmt::format("no strategy is called `{}`", name));
  }
  return found->first;
}

std::string_view strategy_name(StateStrategy strategy) {
  return std::ranges::find(kStrategies, strategy, [](const auto& pair) { return pair.first; })
      ->second;
}

json::Value document_value(const std::optional<Document>& document) {
  return document ? json::read_python(write_document(*document)) : json::Value();
}

std::optional<Document> read_base(const json::Value& value) {
  if (value.is_null()) return std::nullopt;
  return read_document(json::write_python(value));
}

UnsavedState unsaved_of(const json::Value& value) {
  return {.id = member(value, "state_id").as_string(),
          .author = {.who = member(value, "who").as_string(),
                     .operation = member(value, "operation").as_string(),
                     .run_id = member(value, "run_id").as_string()},
          .time = time_member(value, "time"),
          .store = member(value, "store").as_string(),
          .strategy = read_strategy(member(value, "strategy").as_string()),
          .state = member(value, "state"),
          .view = {.base = read_base(member(value, "base")), .seen = member(value, "seen")}};
}

}  // namespace

std::string write_unsaved(const UnsavedState& unsaved) {
  return json::write_python(json::Object{{"state_id", unsaved.id},
                                         {"who", unsaved.author.who},
                                         {"operation", unsaved.author.operation},
                                         {"run_id", unsaved.author.run_id},
                                         {"time", format_iso(unsaved.time)},
                                         {"store", unsaved.store},
                                         {"strategy", strategy_name(unsaved.strategy)},
                                         {"state", unsaved.state},
                                         {"base", document_value(unsaved.view.base)},
                                         {"seen", unsaved.view.seen}}) +
         "\n";
}

UnsavedState read_unsaved(std::string_view text) {
  try {
    return unsaved_of(json::read_python(text));
  } catch (const Error& error) {
    throw Error(ErrorCode::kCorrupt, "no unsaved state: " + error.message());
  }
}

os::Path keep_unsaved(const os::Path& directory, const UnsavedState& unsaved, Random& random) {
  os::make_directories(directory);
  const std::string name =
      fmt::format("{}-{:.8}{}", unsaved.author.run_id, to_hex(sha256(unsaved.id)), kSuffix);
  os::replace_file(directory / name, write_unsaved(unsaved), directory, random);
  return directory / name;
}

UnsavedFiles list_unsaved(const os::Path& directory) {
  UnsavedFiles files;
  for (const std::string& name : os::list_directory(directory)) {
    if (!name.ends_with(kSuffix)) continue;
    const os::Path file = directory / name;
    try {
      // Who saves one in the meantime removes it.
      const auto text = os::read_file_if_exists(file);
      if (text) files.found.push_back({.file = file, .unsaved = read_unsaved(*text)});
    } catch (Error& error) {
      if (error.code() != ErrorCode::kCorrupt) throw;
      error.add_context(file.native());
      files.faults.push_back(error);
    }
  }
  std::ranges::stable_sort(files.found, {}, [](const UnsavedFile& it) { return it.unsaved.time; });
  return files;
}

os::Path unsaved_directory(const os::Path& system_directory) {
  return system_directory / "unsaved-states";
}

}  // namespace tidemark::state
