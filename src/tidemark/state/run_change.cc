#include "tidemark/state/run_change.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace tidemark::state {
namespace {

constexpr std::string_view kSingerState = "singer_state";
constexpr std::string_view kBookmarks = "bookmarks";
constexpr std::string_view kCurrentlySyncing = "currently_syncing";

const json::Value* bookmark(const json::Value& state, std::string_view stream) {
  const json::Value* bookmarks = state.find(kBookmarks);
  return bookmarks == nullptr ? nullptr : bookmarks->find(stream);
}

bool is_equal(const json::Value* a, const json::Value* b) {
  return a == nullptr || b == nullptr ? a == b : *a == *b;
}

// Merges the bookmarks of a complete state with those that are there now.
class Bookmarks {
 public:
  Bookmarks(const json::Value& ours, const json::Value& theirs, const json::Value& seen,
            const json::Value& base)
      : ours_(ours), theirs_(theirs), seen_(seen), base_(base) {}

  json::Object merged() {
    json::Object result;
    for (const auto& [stream, value] : ours_.find(kBookmarks)->as_object()) {
      if (const json::Value* chosen = choose(stream, value)) result.set(stream, *chosen);
    }
    for (const auto& [stream, value] : theirs_.find(kBookmarks)->as_object()) {
      if (bookmark(ours_, stream) == nullptr) result.set(stream, value);
    }
    return result;
  }
  std::vector<std::string> take_warnings() { return std::move(warnings_); }

 private:
  // nullptr: the stream has no bookmark any more.
  const json::Value* choose(const std::string& stream, const json::Value& value) {
    const json::Value* stored = bookmark(theirs_, stream);
    if (is_equal(stored, &value)) return &value;
    const bool is_ours = !is_equal(bookmark(seen_, stream), &value);
    if (!is_equal(stored, bookmark(base_, stream))) {
      warnings_.push_back(
          fmt::format("the bookmark of {} was changed by others while the run went on; {}", stream,
                      is_ours ? "the run's own replaces it" : "theirs is kept"));
    }
    return is_ours ? &value : stored;
  }

  const json::Value& ours_;
  const json::Value& theirs_;
  const json::Value& seen_;
  const json::Value& base_;
  std::vector<std::string> warnings_;
};

bool has_bookmarks(const json::Value& state) {
  const json::Value* bookmarks = state.find(kBookmarks);
  return bookmarks != nullptr && bookmarks->is_object();
}

json::Object whole_state(const std::optional<Document>& document) {
  if (!document) return {};
  return effective_state(*document).as_object();
}

Document completed(json::Object members, const std::optional<Document>& current) {
  return {.completed = std::move(members),
          .partial = json::Object{},
          .others = current ? current->others : json::Object{}};
}

RunChange complete(const json::Value& state, const RunView& view,
                   const std::optional<Document>& current) {
  RunChange change;
  json::Object members = whole_state(current);
  const json::Value theirs = singer_state(current);
  json::Object merged = state.as_object();
  if (has_bookmarks(state) && has_bookmarks(theirs)) {
    const json::Value base = singer_state(view.base);
    Bookmarks bookmarks(state, theirs, view.seen, base);
    merged.set(kBookmarks, bookmarks.merged());
    change.warnings = bookmarks.take_warnings();
  }
  if (theirs.is_object()) {
    for (const auto& [key, value] : theirs.as_object()) {
      if (merged.find(key) == nullptr && key != kCurrentlySyncing) merged.set(key, value);
    }
  }
  members.set(kSingerState, std::move(merged));
  change.document = completed(std::move(members), current);
  change.kept = change.document;
  return change;
}

RunChange partial(const json::Value& state, const std::optional<Document>& current) {
  const Document change{.completed = json::Object{},
                        .partial = json::Object{{std::string(kSingerState), state}},
                        .others = {}};
  return {.document = updated(current, change), .kept = change};
}

RunChange overwritten(const json::Value& state, const RunView& view,
                      const std::optional<Document>& current) {
  RunChange change;
  change.document = completed(json::Object{{std::string(kSingerState), state}}, current);
  change.kept = change.document;
  if (current != view.base) {
    change.warnings.emplace_back(
        "the state was changed by others while the run went on and is overwritten; the history has "
        "theirs");
  }
  return change;
}

}  // namespace

RunChange change_document(StateStrategy strategy, const json::Value& state, const RunView& view,
                          const std::optional<Document>& current) {
  switch (strategy) {
    case StateStrategy::kAuto:
      return complete(state, view, current);
    case StateStrategy::kMerge:
      return partial(state, current);
    case StateStrategy::kOverwrite:
      return overwritten(state, view, current);
  }
  return {};
}

json::Value singer_state(const std::optional<Document>& document) {
  json::Object members = whole_state(document);
  const json::Value* state = members.find(kSingerState);
  return state == nullptr ? json::Value() : *state;
}

}  // namespace tidemark::state
