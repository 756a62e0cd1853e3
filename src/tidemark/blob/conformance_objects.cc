#include <chrono>
#include <thread>

#include <gmock/gmock.h>

#include "tidemark/base/error.h"
#include "tidemark/blob/conformance_parts.h"

namespace tidemark::blob {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Not two bytes that follow each other are the same as anywhere near.
std::string large_text(size_t size, uint32_t seed) {
  std::string text(size, '\0');
  for (char& c : text) {
    seed = seed * 1'664'525 + 1'013'904'223;
    c = static_cast<char>(seed >> 24);
  }
  return text;
}

void gives_back_what_was_put(const OpenStore& open) {
  const auto store = open();
  const std::string bytes("\0\r\n\xff{\"a\": 1}\0", 13);
  const auto version = store->put("a/state.json", bytes, Always{});
  ASSERT_TRUE(version);
  const auto blob = open()->get("a/state.json");
  ASSERT_TRUE(blob);
  EXPECT_EQ(blob->bytes, bytes);
  EXPECT_EQ(blob->version, *version);
  EXPECT_EQ(open()->stat("a/state.json"), (BlobInfo{.size = 13, .version = *version}));
}

void knows_nothing_of_what_was_not_put(const OpenStore& open) {
  const auto store = open();
  EXPECT_FALSE(store->get("a/state.json"));
  EXPECT_FALSE(store->stat("a/state.json"));
  EXPECT_THAT(keys_of(*store), IsEmpty());
  store->put("a/state.json", "1", Always{});
  for (const char* key : {"a", "a/state", "a/state.jsonx", "A/state.json", "b/state.json"}) {
    EXPECT_FALSE(store->get(key)) << key;
    EXPECT_FALSE(store->stat(key)) << key;
  }
}

void replaces_as_a_whole(const OpenStore& open) {
  const auto store = open();
  const auto first = store->put("a/lock", "a long one", Always{});
  const auto second = store->put("a/lock", "short", Always{});
  EXPECT_EQ(bytes_of(*store, "a/lock"), "short");
  EXPECT_NE(first, second);
  EXPECT_THAT(keys_of(*store), ElementsAre("a/lock"));
}

void keeps_empty_objects(const OpenStore& open) {
  const auto store = open();
  const auto version = store->put("a/lock", "", IfAbsent{});
  ASSERT_TRUE(version);
  EXPECT_EQ(bytes_of(*store, "a/lock"), "");
  EXPECT_EQ(store->stat("a/lock"), (BlobInfo{.size = 0, .version = *version}));
  EXPECT_THAT(keys_of(*store), ElementsAre("a/lock"));
  EXPECT_TRUE(store->put("a/lock", "1", IfMatch{*version}));
}

void keeps_large_objects(const OpenStore& open) {
  const auto store = open();
  const std::string bytes = large_text(9'000'001, 1);
  const auto version = store->put("a/state.json", bytes, Always{});
  ASSERT_TRUE(version);
  const auto blob = store->get("a/state.json");
  ASSERT_TRUE(blob);
  EXPECT_TRUE(blob->bytes == bytes);
  EXPECT_EQ(store->stat("a/state.json"), (BlobInfo{.size = bytes.size(), .version = *version}));
}

void creates_only_what_is_absent(const OpenStore& open) {
  const auto store = open();
  EXPECT_TRUE(store->put("a/lock", "1", IfAbsent{}));
  EXPECT_FALSE(store->put("a/lock", "2", IfAbsent{}));
  EXPECT_FALSE(open()->put("a/lock", "1", IfAbsent{}));
  EXPECT_EQ(bytes_of(*store, "a/lock"), "1");
  EXPECT_TRUE(store->remove("a/lock", Always{}));
  EXPECT_TRUE(store->put("a/lock", "3", IfAbsent{}));
  EXPECT_EQ(bytes_of(*store, "a/lock"), "3");
}

void replaces_only_the_expected_version(const OpenStore& open) {
  const auto store = open();
  const auto first = store->put("a/state.json", "1", Always{});
  ASSERT_TRUE(first);
  const auto second = store->put("a/state.json", "2", IfMatch{*first});
  ASSERT_TRUE(second);
  EXPECT_NE(*first, *second);
  EXPECT_FALSE(open()->put("a/state.json", "3", IfMatch{*first}));
  EXPECT_EQ(bytes_of(*store, "a/state.json"), "2");
  EXPECT_TRUE(open()->put("a/state.json", "3", IfMatch{*second}));
  EXPECT_EQ(bytes_of(*store, "a/state.json"), "3");
}

void matches_nothing_where_nothing_is(const OpenStore& open) {
  const auto store = open();
  const auto version = store->put("a/state.json", "1", Always{});
  ASSERT_TRUE(version);
  EXPECT_FALSE(store->put("b/state.json", "1", IfMatch{*version}));
  EXPECT_FALSE(store->get("b/state.json"));
  EXPECT_TRUE(store->remove("a/state.json", Always{}));
  EXPECT_FALSE(store->put("a/state.json", "2", IfMatch{*version}));
  EXPECT_THAT(keys_of(*store), IsEmpty());
}

void never_replaces_by_a_version_that_never_was(const OpenStore& open) {
  const auto store = open();
  store->put("a/state.json", "1", Always{});
  for (const char* text : {"", "*", "\"0\"", "0", "d41d8cd98f00b204e9800998ecf8427e"}) {
    EXPECT_FALSE(store->put("a/state.json", "2", IfMatch{{text}})) << text;
  }
  EXPECT_EQ(bytes_of(*store, "a/state.json"), "1");
}

void removes_what_is_there(const OpenStore& open) {
  const auto store = open();
  store->put("a/state.json", "1", Always{});
  store->put("a/lock", "1", Always{});
  EXPECT_TRUE(store->remove("a/lock", Always{}));
  EXPECT_FALSE(store->get("a/lock"));
  EXPECT_THAT(keys_of(*store), ElementsAre("a/state.json"));
  EXPECT_TRUE(store->remove("a/lock", Always{}));
  EXPECT_TRUE(store->remove("b/lock", IfMatch{{"\"1\""}}));
}

void removes_only_the_expected_version(const OpenStore& open) {
  const auto store = open();
  const auto old = store->put("a/lock", "1", Always{});
  const auto current = store->put("a/lock", "2", Always{});
  ASSERT_TRUE(old && current);
  const bool heeds = store->capabilities().conditional_remove;
  EXPECT_EQ(store->remove("a/lock", IfMatch{*old}), !heeds);
  EXPECT_EQ(store->get("a/lock").has_value(), heeds);
  EXPECT_TRUE(store->remove("a/lock", IfMatch{*current}));
  EXPECT_FALSE(store->get("a/lock"));
  expect_refused([&] { store->remove("a/lock", IfAbsent{}); }, "to remove what is absent");
}

void tells_a_time_that_goes_on(const OpenStore& open) {
  using std::chrono::milliseconds;
  constexpr std::chrono::minutes kFar{5};
  SystemClock clock;
  const auto store = open();
  const Time first = store->store_time();
  EXPECT_LT(std::chrono::abs(first - clock.now()), kFar);
  std::this_thread::sleep_for(milliseconds(50));
  // File systems keep time in steps of a hundredth of a second, HTTP in whole seconds.
  EXPECT_GE(store->store_time(), first + milliseconds(30));
  store->put("a/lock", "1", Always{});
  EXPECT_GE(store->store_time() + std::chrono::seconds(1), first + milliseconds(30));
}

}  // namespace

std::vector<Check> object_checks() {
  return {
      {"GivesBackWhatWasPut", gives_back_what_was_put},
      {"KnowsNothingOfWhatWasNotPut", knows_nothing_of_what_was_not_put},
      {"ReplacesAsAWhole", replaces_as_a_whole},
      {"KeepsEmptyObjects", keeps_empty_objects},
      {"KeepsLargeObjects", keeps_large_objects},
      {"CreatesOnlyWhatIsAbsent", creates_only_what_is_absent},
      {"ReplacesOnlyTheExpectedVersion", replaces_only_the_expected_version},
      {"MatchesNothingWhereNothingIs", matches_nothing_where_nothing_is},
      {"NeverReplacesByAVersionThatNeverWas", never_replaces_by_a_version_that_never_was},
      {"RemovesWhatIsThere", removes_what_is_there},
      {"RemovesOnlyTheExpectedVersion", removes_only_the_expected_version},
      {"TellsATimeThatGoesOn", tells_a_time_that_goes_on},
  };
}

}  // namespace tidemark::blob
