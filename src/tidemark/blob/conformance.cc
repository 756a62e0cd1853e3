#include "tidemark/blob/conformance.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <latch>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tidemark/base/error.h"

namespace tidemark::blob {

void PrintTo(const Check& check, std::ostream* out) { *out << check.name; }

namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;

std::string bytes_of(BlobStore& store, std::string_view key) {
  const std::optional<Blob> blob = store.get(key);
  return blob ? blob->bytes : "(nothing)";
}

std::vector<std::string> keys_of(BlobStore& store, const Listing& listing = {}) {
  std::vector<std::string> keys;
  store.list(listing, [&](std::string_view key) { keys.emplace_back(key); });
  return keys;
}

// Runs work(number) in `count` threads that start at the same moment.
void at_once(int count, const std::function<void(int number)>& work) {
  std::latch start(count);
  std::vector<std::jthread> threads;
  for (int number = 0; number < count; ++number) {
    threads.emplace_back([&, number] {
      start.arrive_and_wait();
      try {
        work(number);
      } catch (const Error& error) {
        ADD_FAILURE() << error.message();
      }
    });
  }
}

void expect_refused(const std::function<void()>& call, std::string_view what) {
  try {
    call();
    ADD_FAILURE() << what << " is not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid) << error.message();
  }
}

// Not two bytes that follow each other are the same as anywhere near.
std::string large_text(size_t size, uint32_t seed) {
  std::string text(size, '\0');
  for (char& c : text) {
    seed = seed * 1'664'525 + 1'013'904'223;
    c = static_cast<char>(seed >> 24);
  }
  return text;
}

// ---- one object ----

void gives_back_what_was_put(const OpenStore& open) {
  const auto store = open();
  const std::string bytes("\0\r\n\xff{\"a\": 1}\0", 14);
  const auto version = store->put("a/state.json", bytes, Always{});
  ASSERT_TRUE(version);
  const auto blob = open()->get("a/state.json");
  ASSERT_TRUE(blob);
  EXPECT_EQ(blob->bytes, bytes);
  EXPECT_EQ(blob->version, *version);
  EXPECT_EQ(open()->stat("a/state.json"), (BlobInfo{.size = 14, .version = *version}));
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

// ---- conditions ----

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

// ---- races ----

void lets_one_of_many_create(const OpenStore& open) {
  constexpr int kThreads = 32;
  constexpr int kRounds = 5;
  std::vector<std::shared_ptr<BlobStore>> stores;
  for (int number = 0; number < kThreads; ++number) stores.push_back(open());
  for (int round = 0; round < kRounds; ++round) {
    const std::string key = fmt::format("{}/lock", round);
    std::atomic<int> winners = 0;
    std::atomic<int> winner = -1;
    at_once(kThreads, [&](int number) {
      if (!stores[number]->put(key, std::to_string(number), IfAbsent{})) return;
      ++winners;
      winner = number;
    });
    EXPECT_EQ(winners, 1);
    EXPECT_EQ(bytes_of(*stores[0], key), std::to_string(winner));
  }
}

void lets_one_of_many_replace(const OpenStore& open) {
  constexpr int kThreads = 32;
  constexpr int kRounds = 5;
  std::vector<std::shared_ptr<BlobStore>> stores;
  for (int number = 0; number < kThreads; ++number) stores.push_back(open());
  auto version = stores[0]->put("a/state.json", "start", Always{});
  for (int round = 0; round < kRounds; ++round) {
    ASSERT_TRUE(version);
    std::atomic<int> winners = 0;
    std::atomic<int> winner = -1;
    at_once(kThreads, [&](int number) {
      const std::string bytes = fmt::format("{} {}", round, number);
      if (!stores[number]->put("a/state.json", bytes, IfMatch{*version})) return;
      ++winners;
      winner = number;
    });
    EXPECT_EQ(winners, 1);
    const auto blob = stores[0]->get("a/state.json");
    ASSERT_TRUE(blob);
    EXPECT_EQ(blob->bytes, fmt::format("{} {}", round, winner.load()));
    version = blob->version;
  }
}

void loses_no_update(const OpenStore& open) {
  constexpr int kThreads = 8;
  constexpr int kUpdates = 10;
  ASSERT_TRUE(open()->put("a/state.json", "0", Always{}));
  at_once(kThreads, [&](int) {
    const auto store = open();
    for (int update = 0; update < kUpdates;) {
      const auto blob = store->get("a/state.json");
      if (!blob) return;
      const std::string next = std::to_string(std::stoi(blob->bytes) + 1);
      if (store->put("a/state.json", next, IfMatch{blob->version})) ++update;
    }
  });
  EXPECT_EQ(bytes_of(*open(), "a/state.json"), std::to_string(kThreads * kUpdates));
}

void shows_no_reader_half_a_write(const OpenStore& open) {
  constexpr size_t kSize = 300'000;
  const std::string bytes[] = {std::string(kSize, 'a'), std::string(kSize / 3, 'b')};
  ASSERT_TRUE(open()->put("a/state.json", bytes[0], Always{}));
  std::atomic<bool> is_done = false;
  at_once(4, [&](int number) {
    const auto store = open();
    if (number == 0) {
      for (int round = 0; round < 20; ++round) {
        store->put("a/state.json", bytes[round % 2], Always{});
      }
      is_done = true;
    }
    while (!is_done) {
      const auto blob = store->get("a/state.json");
      EXPECT_TRUE(blob && (blob->bytes == bytes[0] || blob->bytes == bytes[1]));
    }
  });
}

void puts_beside_removals(const OpenStore& open) {
  // Servers that keep files remove a directory with its last one, and may lose that race.
  ASSERT_TRUE(open()->put("a/kept", "1", Always{}));
  at_once(8, [&](int number) {
    const auto store = open();
    const std::string key = fmt::format("a/{}", number);
    for (int round = 0; round < 10; ++round) {
      EXPECT_TRUE(store->put(key, "1", IfAbsent{}));
      EXPECT_EQ(bytes_of(*store, key), "1");
      EXPECT_TRUE(store->remove(key, Always{}));
      EXPECT_FALSE(store->get(key));
    }
  });
  EXPECT_THAT(keys_of(*open()), ElementsAre("a/kept"));
}

// ---- listings ----

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

// ---- keys ----

void takes_odd_keys(const OpenStore& open) {
  const auto store = open();
  std::vector<std::string> keys = {
      "a b",   "é ☃ 𝄞", "%20",      "%2F",       "a+b",       "=&",    "~",   "*!'()",
      ";:@,$", "#?",    "[]{}|^`",  "\"<>",      "..a",       "...",   "a..", "prod:tap-to-target",
      "-",     "_",     " leading", "trailing ", "tab\there", "&amp;", "'",   "\x7f"};
  for (std::string& key : keys) key += "/state.json";
  for (const std::string& key : keys) {
    EXPECT_TRUE(store->put(key, key, IfAbsent{})) << key;
  }
  for (const std::string& key : keys) EXPECT_EQ(bytes_of(*store, key), key);
  std::ranges::sort(keys);
  EXPECT_THAT(keys_of(*store), ElementsAreArray(keys));
  for (const std::string& key : keys) {
    EXPECT_THAT(keys_of(*store, {.prefix = key}), ElementsAre(key));
  }
}

void takes_long_keys(const OpenStore& open) {
  const auto store = open();
  std::string key(200, 'a');
  for (const char c : {'b', 'c', 'd'}) key += "/" + std::string(200, c);
  EXPECT_TRUE(store->put(key, "1", IfAbsent{}));
  EXPECT_EQ(bytes_of(*store, key), "1");
  EXPECT_THAT(keys_of(*store), ElementsAre(key));
}

void refuses_keys_that_leave_the_place(const OpenStore& open) {
  const auto store = open();
  for (const std::string key : {"", ".", "..", "../a", "a/../b", "a/..", "./a", "a/./b", "a/."}) {
    expect_refused([&] { store->get(key); }, "get " + key);
    expect_refused([&] { store->stat(key); }, "stat " + key);
    expect_refused([&] { store->put(key, "1", Always{}); }, "put " + key);
    expect_refused([&] { store->put(key, "1", IfAbsent{}); }, "create " + key);
    expect_refused([&] { store->remove(key, Always{}); }, "remove " + key);
  }
  EXPECT_THAT(keys_of(*store), IsEmpty());
}

// Not every store can hold these, but none takes one for another.
void keeps_or_refuses_doubtful_keys(const OpenStore& open) {
  const auto store = open();
  for (const std::string& key :
       {std::string("a//b"), std::string("a/"), std::string("/a"), std::string("a\\b"),
        std::string("a\0b", 3), std::string(300, 'x'), std::string("\xff\xfe")}) {
    try {
      EXPECT_TRUE(store->put(key, key, IfAbsent{}));
      EXPECT_EQ(bytes_of(*store, key), key);
      EXPECT_FALSE(store->get("a/b"));
      EXPECT_FALSE(store->get("a"));
      store->remove(key, Always{});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalid) << error.message();
    }
    EXPECT_THAT(keys_of(*store), IsEmpty()) << key;
  }
}

void keeps_or_refuses_keys_below_keys(const OpenStore& open) {
  const auto store = open();
  ASSERT_TRUE(store->put("a", "1", IfAbsent{}));
  ASSERT_TRUE(store->put("d/e", "2", IfAbsent{}));
  for (const std::string key : {"a/b", "a/b/c", "d"}) {
    EXPECT_FALSE(store->get(key));
    try {
      EXPECT_TRUE(store->put(key, key, IfAbsent{}));
      EXPECT_EQ(bytes_of(*store, key), key);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalid) << error.message();
      EXPECT_FALSE(store->get(key));
    }
  }
  EXPECT_EQ(bytes_of(*store, "a"), "1");
  EXPECT_EQ(bytes_of(*store, "d/e"), "2");
}

// ---- time ----

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

std::vector<Check> conformance_checks() {
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
      {"LetsOneOfManyCreate", lets_one_of_many_create},
      {"LetsOneOfManyReplace", lets_one_of_many_replace},
      {"LosesNoUpdate", loses_no_update},
      {"ShowsNoReaderHalfAWrite", shows_no_reader_half_a_write},
      {"PutsBesideRemovals", puts_beside_removals},
      {"ListsInByteOrder", lists_in_byte_order},
      {"ListsWhatBeginsWithThePrefix", lists_what_begins_with_the_prefix},
      {"ListsNoWrongSize", lists_no_wrong_size},
      {"ListsLeaves", lists_leaves},
      {"ListsWhatIsAfter", lists_what_is_after},
      {"PassesOverWhatIsSkipped", passes_over_what_is_skipped},
      {"ListsPageAfterPage", lists_page_after_page},
      {"LetsTheVisitorUseTheStore", lets_the_visitor_use_the_store},
      {"TakesOddKeys", takes_odd_keys},
      {"TakesLongKeys", takes_long_keys},
      {"RefusesKeysThatLeaveThePlace", refuses_keys_that_leave_the_place},
      {"KeepsOrRefusesDoubtfulKeys", keeps_or_refuses_doubtful_keys},
      {"KeepsOrRefusesKeysBelowKeys", keeps_or_refuses_keys_below_keys},
      {"TellsATimeThatGoesOn", tells_a_time_that_goes_on},
  };
}

std::string name_of_check(const testing::TestParamInfo<Check>& info) { return info.param.name; }

}  // namespace tidemark::blob
