#include "tidemark/state/state_store_conformance.h"

#include <algorithm>
#include <initializer_list>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"

namespace tidemark::state {
namespace {

Document bookmark(int value) {
  return {.completed = json::Object{
              {"singer_state", json::Object{{"bookmarks", json::Object{{"a", value}}}}}}};
}

int bookmark_of(const Document& document) {
  const json::Value* state = document.completed.find("singer_state");
  const json::Value* bookmarks = state == nullptr ? nullptr : state->find("bookmarks");
  const json::Value* value = bookmarks == nullptr ? nullptr : bookmarks->find("a");
  return value == nullptr ? 0 : static_cast<int>(value->as_int64());
}

class Conformance {
 public:
  Conformance(StateStore& store, const StateStorePromises& promises)
      : store_(store), promises_(promises) {}

  std::vector<std::string> run() {
    check("absent", &Conformance::absent);
    check("save", &Conformance::save);
    check("remove", &Conformance::remove);
    check("fidelity", &Conformance::fidelity);
    check("ids", &Conformance::ids);
    check("nested ids", &Conformance::nested_ids);
    check("writers at once", &Conformance::writers_at_once);
    return std::move(faults_);
  }

 private:
  void check(std::string_view name, void (Conformance::*part)()) {
    try {
      (this->*part)();
    } catch (const Error& error) {
      faults_.push_back(fmt::format("{}: unexpected error: {}", name, error.message()));
    }
    clear();
  }

  void expect(bool holds, std::string_view sentence) {
    if (!holds) faults_.emplace_back(sentence);
  }

  bool holds(std::string_view id, const Document& document) {
    const auto stored = store_.load(id);
    return stored && stored->document == document;
  }

  std::vector<std::string> listed(std::string_view pattern = {}) {
    std::vector<std::string> ids;
    store_.list(pattern, [&](std::string_view id) { ids.emplace_back(id); });
    return ids;
  }

  std::vector<std::string> listed_whole(std::string_view pattern = {}) {
    std::vector<std::string> ids;
    store_.list_whole(pattern, [&](std::string_view id) { ids.emplace_back(id); });
    return ids;
  }

  void clear() {
    for (const std::string& id : used_) {
      try {
        if (const auto stored = store_.load(id)) store_.remove(id, stored->revision);
      } catch (const Error&) {
        faults_.push_back(fmt::format("cannot clear {}", id));
      }
    }
    used_.clear();
  }

  std::string use(std::string id) { return used_.emplace_back(std::move(id)); }

  void absent() {
    expect(!store_.load("x"), "an ID without a state loads as nothing");
    expect(!store_.load_raw("x"), "nor is there anything as it is stored");
    expect(listed().empty(), "an empty store lists nothing");
    expect(store_.remove("x", Revision{"1"}), "a missing state is removed already");
    expect(!store_.save("x", bookmark(1), Revision{"1"}),
           "a save with a revision needs a state that is there");
    expect(!store_.load("x"), "a refused save leaves nothing");
  }

  void save() {
    const std::string id = use("dev:tap-a-to-target-b");
    const auto first = store_.save(id, bookmark(1), std::nullopt);
    expect(first.has_value(), "a first save takes effect");
    const auto loaded = store_.load(id);
    expect(loaded && first && loaded->revision == *first, "load and save name one revision alike");
    expect(loaded && loaded->document == bookmark(1), "what was saved is loaded");
    const auto raw = store_.load_raw(id);
    expect(raw && loaded && raw->revision == loaded->revision && !raw->text.empty(),
           "what is stored has the same revision as it is");
    expect(!store_.save(id, bookmark(2), std::nullopt),
           "a save without a revision needs an ID without a state");
    expect(holds(id, bookmark(1)), "a refused first save changes nothing");
    const auto second = store_.save(id, bookmark(3), first);
    expect(second.has_value(), "a save with the stored revision takes effect");
    expect(second != first, "another document has another revision");
    expect(!store_.save(id, bookmark(4), first), "a save with an old revision is refused");
    expect(holds(id, bookmark(3)), "a refused save changes nothing");
  }

  void remove() {
    const std::string id = use("x");
    const auto first = store_.save(id, bookmark(1), std::nullopt);
    const auto second = store_.save(id, bookmark(2), first);
    if (promises_.heeds_remove) {
      expect(!store_.remove(id, *first), "a removal with an old revision is refused");
      expect(holds(id, bookmark(2)), "a refused removal changes nothing");
    }
    expect(second && store_.remove(id, *second), "a removal with the stored revision takes effect");
    expect(!store_.load(id), "what was removed is gone");
    expect(second && !store_.save(id, bookmark(3), *second),
           "a save with the revision of a removed state is refused");
    expect(store_.save(id, bookmark(3), std::nullopt).has_value(),
           "a removed state can be saved again");
  }

  void fidelity() {
    const std::string id = use("x");
    Document document = read_document(
        R"({"completed": {"z": 1.50, "a": 12345678901234567890123, "e": 1E5, "n": NaN},)"
        R"( "partial": {"text": "\u00e9\u0000\ud83d\ude00 ' \" \\", "l": [null, {}, []]}})");
    const auto first = store_.save(id, document, std::nullopt);
    expect(holds(id, document), "number text, key order and characters survive");
    document.completed = nullptr;
    const auto second = store_.save(id, document, first);
    expect(holds(id, document), "a half that is null stays null");
    if (!promises_.keeps_other_keys) return;
    document.others = json::Object{{"x", 1}};
    store_.save(id, document, second);
    expect(holds(id, document), "keys beside the halves survive");
  }

  void ids() {
    std::vector<std::string> ids = {"a",   "A",   "b",   "we ird", "caf\u00e9", "100%",
                                    "a_b", "[x]", "a'b", "x\"y",   "tap:a;b",   "\\"};
    int value = 0;
    for (const std::string& id : ids) store_.save(use(id), bookmark(++value), std::nullopt);
    value = 0;
    for (const std::string& id : ids) {
      expect(holds(id, bookmark(++value)), fmt::format("the ID `{}` has a state of its own", id));
    }
    std::sort(ids.begin(), ids.end());
    expect(listed() == ids, "a list has every ID, in byte order");
    expect(listed("tap:*") == std::vector<std::string>{"tap:a;b"}, "a list heeds its pattern");
    expect(listed_whole() == ids, "a whole list has the IDs of a list");
    expect(listed_whole("tap:*") == listed("tap:*"), "a whole list heeds its pattern");
  }

  void nested_ids() {
    const std::vector<std::string> ids = {".a", "b", "b-c", "b/c", "b/d/c"};
    for (const std::string& id : ids) store_.save(use(id), bookmark(1), std::nullopt);
    for (const std::string& id : ids) expect(holds(id, bookmark(1)), "an ID may have a `/`");
    expect(listed_whole() == ids, "a whole list has every ID whole");
    if (promises_.lists_whole_ids) expect(listed() == ids, "a list has IDs with a `/` whole");
  }

  // Each counts the bookmark up until it was the one who did; no count may be lost.
  void writers_at_once() {
    const std::string id = use("counted");
    std::vector<std::thread> writers;
    for (int i = 0; i < promises_.writers; ++i) {
      writers.emplace_back([&] {
        for (int done = 0; done < promises_.updates; done += count_up(id) ? 1 : 0) {
        }
      });
    }
    for (std::thread& writer : writers) writer.join();
    expect(holds(id, bookmark(promises_.writers * promises_.updates)),
           "of writers at once each save that took effect is seen by the next one");
  }

  bool count_up(std::string_view id) {
    const auto stored = store_.load(id);
    const int value = stored ? bookmark_of(stored->document) : 0;
    const auto expected = stored ? std::optional(stored->revision) : std::nullopt;
    return store_.save(id, bookmark(value + 1), expected).has_value();
  }

  StateStore& store_;
  StateStorePromises promises_;
  std::vector<std::string> used_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> state_store_faults(StateStore& store, const StateStorePromises& promises) {
  return Conformance(store, promises).run();
}

}  // namespace tidemark::state
