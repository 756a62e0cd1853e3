#include <algorithm>

#include <gmock/gmock.h>

#include "tidemark/base/error.h"
#include "tidemark/blob/conformance_parts.h"

namespace tidemark::blob {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;

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
       {std::string("a//b"), std::string("a/"), std::string("/a"), std::string("a\0b", 3),
        std::string(300, 'x'), std::string("\xff\xfe")}) {
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

void knows_a_key_with_a_backslash_by_all_its_names(const OpenStore& open) {
  const auto store = open();
  const bool is_slash = store->capabilities().takes_backslash_for_slash;
  const auto version = store->put("a\\b/lock", "1", IfAbsent{});
  ASSERT_TRUE(version);
  EXPECT_EQ(bytes_of(*store, "a\\b/lock"), "1");
  EXPECT_EQ(store->get("a/b/lock").has_value(), is_slash);
  const std::string shown = is_slash ? "a/b/lock" : "a\\b/lock";
  EXPECT_THAT(keys_of(*store), ElementsAre(shown));
  EXPECT_THAT(keys_of(*store, {.prefix = "a\\b/"}), ElementsAre(shown));
  EXPECT_THAT(keys_of(*store, {.skipped = "a\\"}), IsEmpty());
  EXPECT_TRUE(store->put("a\\b/lock", "2", IfMatch{*version}));
  EXPECT_TRUE(store->remove("a\\b/lock", Always{}));
  EXPECT_THAT(keys_of(*store), IsEmpty());
  if (!is_slash) return;
  for (const char* key : {"..\\a", "a\\..\\b", "a\\."}) {
    expect_refused([&] { store->put(key, "1", Always{}); }, key);
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

}  // namespace

std::vector<Check> key_checks() {
  return {
      {"TakesOddKeys", takes_odd_keys},
      {"TakesLongKeys", takes_long_keys},
      {"RefusesKeysThatLeaveThePlace", refuses_keys_that_leave_the_place},
      {"KeepsOrRefusesDoubtfulKeys", keeps_or_refuses_doubtful_keys},
      {"KnowsAKeyWithABackslashByAllItsNames", knows_a_key_with_a_backslash_by_all_its_names},
      {"KeepsOrRefusesKeysBelowKeys", keeps_or_refuses_keys_below_keys},
  };
}

}  // namespace tidemark::blob
