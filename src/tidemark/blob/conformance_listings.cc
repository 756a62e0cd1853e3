#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tidemark/base/error.h"
#include "tidemark/blob/conformance_parts.h"

namespace tidemark::blob {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;

void put_all(BlobStore& store, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    EXPECT_TRUE(store.put(key, "1", Always{})) << key;
  }
}

void lists_in_byte_order(const OpenStore& open) {
  const auto store = open();
  put_all(*store, {"b/lock", "a/lock", "a.b/lock", "A/lock", "a-b/lock", "é/lock", "a/b/lock"});
  EXPECT_THAT(keys_of(*store), ElementsAre("A/lock", "a-b/lock", "a.b/lock", "a/b/lock", "a/lock",
                                           "b/lock", "é/lock"));
}

void lists_what_begins_with_the_prefix(const OpenStore& open) {
  const auto store = open();
  put_all(*store, {"a/x/lock", "a/lock", "ab/lock", "b/lock"});
  EXPECT_THAT(keys_of(*store, {.prefix = "a"}), ElementsAre("a/lock", "a/x/lock", "ab/lock"));
  EXPECT_THAT(keys_of(*store, {.prefix = "a/"}), ElementsAre("a/lock", "a/x/lock"));
  EXPECT_THAT(keys_of(*store, {.prefix = "a/x/l"}), ElementsAre("a/x/lock"));
  EXPECT_THAT(keys_of(*store, {.prefix = "a/lock"}), ElementsAre("a/lock"));
  EXPECT_THAT(keys_of(*store, {.prefix = "a/lock/"}), IsEmpty());
  EXPECT_THAT(keys_of(*store, {.prefix = "c/d/"}), IsEmpty());
  EXPECT_THAT(keys_of(*store, {.prefix = "../"}), IsEmpty());
}

void lists_no_wrong_size(const OpenStore& open) {
  const auto store = open();
  const std::map<std::string, uint64_t, std::less<>> sizes = {{"a/x", 0}, {"b/x", 1}, {"c/x", 300}};
  for (const auto& [key, size] : sizes) store->put(key, std::string(size, 'x'), Always{});
  store->list({}, [&](const Listed& listed) {
    EXPECT_EQ(listed.size.value_or(sizes.find(listed.key)->second), sizes.find(listed.key)->second);
  });
}

void lists_leaves(const OpenStore& open) {
  const auto store = open();
  put_all(*store, {"a/x/lock", "a/lock", "a/state", "a.b/lock", "b/c/lock", "b/lock"});
  EXPECT_THAT(keys_of(*store, {.leaf = Leaf{.parts = 2, .name = "lock"}}),
              ElementsAre("a.b/lock", "a/lock", "b/lock"));
  EXPECT_THAT(keys_of(*store, {.skipped = "a/", .leaf = Leaf{.parts = 3, .name = "lock"}}),
              ElementsAre("b/c/lock"));
  EXPECT_THAT(keys_of(*store, {.prefix = "a/", .leaf = Leaf{.parts = 2, .name = "lock"}}),
              ElementsAre("a/lock"));
  EXPECT_THAT(keys_of(*store, {.leaf = Leaf{.parts = 1, .name = "lock"}}), IsEmpty());
}

void lists_what_is_after(const OpenStore& open) {
  const auto store = open();
  put_all(*store, {"a/lock", "a/state.json", "b/lock", "c/lock"});
  EXPECT_THAT(keys_of(*store, {.after = "a/lock"}),
              ElementsAre("a/state.json", "b/lock", "c/lock"));
  EXPECT_THAT(keys_of(*store, {.after = "a/lz"}), ElementsAre("a/state.json", "b/lock", "c/lock"));
  EXPECT_THAT(keys_of(*store, {.after = "b"}), ElementsAre("b/lock", "c/lock"));
  EXPECT_THAT(keys_of(*store, {.prefix = "b", .after = "a"}), ElementsAre("b/lock"));
  EXPECT_THAT(keys_of(*store, {.prefix = "b", .after = "c"}), IsEmpty());
  EXPECT_THAT(keys_of(*store, {.after = "c/lock"}), IsEmpty());
}

void passes_over_what_is_skipped(const OpenStore& open) {
  const auto store = open();
  put_all(*store, {"-a/lock", ".tidemark/a/lease.json", ".tidemark/b/lease.json", ".tidemarks/lock",
                   "a/lock"});
  const std::string ours = ".tidemark/";
  EXPECT_THAT(keys_of(*store, {.skipped = ours}),
              ElementsAre("-a/lock", ".tidemarks/lock", "a/lock"));
  EXPECT_THAT(keys_of(*store, {.prefix = ".tidemark", .skipped = ours}),
              ElementsAre(".tidemarks/lock"));
  EXPECT_THAT(keys_of(*store, {.prefix = ".tidemark/a", .skipped = ours}), IsEmpty());
  EXPECT_THAT(keys_of(*store, {.after = ".tidemark/a", .skipped = ours}),
              ElementsAre(".tidemarks/lock", "a/lock"));
  EXPECT_THAT(keys_of(*store, {.after = "a", .skipped = ours}), ElementsAre("a/lock"));
}

void lists_page_after_page(const OpenStore& open) {
  constexpr int kThreads = 8;
  std::vector<std::string> keys;
  std::vector<std::string> ours;
  keys.reserve(1'100);
  ours.reserve(50);
  for (int number = 0; number < 1'100; ++number) keys.push_back(fmt::format("all/{:04}", number));
  for (int number = 0; number < 50; ++number) ours.push_back(fmt::format(".tidemark/{}", number));
  at_once(kThreads, [&](int number) {
    const auto store = open();
    for (size_t at = number; at < keys.size(); at += kThreads) store->put(keys[at], "", IfAbsent{});
    for (size_t at = number; at < ours.size(); at += kThreads) store->put(ours[at], "", IfAbsent{});
  });
  const auto store = open();
  EXPECT_THAT(keys_of(*store, {.skipped = ".tidemark/"}), ElementsAreArray(keys));
  EXPECT_EQ(keys_of(*store).size(), keys.size() + ours.size());
  EXPECT_THAT(keys_of(*store, {.prefix = "all/", .after = "all/1050"}),
              ElementsAreArray(keys.begin() + 1'051, keys.end()));
}

void lets_the_visitor_use_the_store(const OpenStore& open) {
  const auto store = open();
  put_all(*store, {"a/lock", "b/lock"});
  store->list({}, [&](std::string_view key) { EXPECT_EQ(bytes_of(*store, key), "1"); });
  int visits = 0;
  const auto stop = [&](std::string_view) {
    ++visits;
    throw Error(ErrorCode::kConflict, "the visitor's own");
  };
  try {
    store->list({}, stop);
    ADD_FAILURE() << "the visitor's error is lost";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "the visitor's own");
  }
  EXPECT_EQ(visits, 1);
}

}  // namespace

std::vector<Check> listing_checks() {
  return {
      {"ListsInByteOrder", lists_in_byte_order},
      {"ListsWhatBeginsWithThePrefix", lists_what_begins_with_the_prefix},
      {"ListsNoWrongSize", lists_no_wrong_size},
      {"ListsLeaves", lists_leaves},
      {"ListsWhatIsAfter", lists_what_is_after},
      {"PassesOverWhatIsSkipped", passes_over_what_is_skipped},
      {"ListsPageAfterPage", lists_page_after_page},
      {"LetsTheVisitorUseTheStore", lets_the_visitor_use_the_store},
  };
}

}  // namespace tidemark::blob
