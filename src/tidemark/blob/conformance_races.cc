#include <atomic>
#include <optional>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tidemark/base/error.h"
#include "tidemark/blob/conformance_parts.h"

namespace tidemark::blob {
namespace {

using testing::ElementsAre;

void lets_one_of_many_create(const OpenStore& open) {
  constexpr int kThreads = 32;
  constexpr int kRounds = 5;
  std::vector<std::shared_ptr<BlobStore>> stores;
  stores.reserve(kThreads);
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
  stores.reserve(kThreads);
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

}  // namespace

std::vector<Check> race_checks() {
  return {
      {"LetsOneOfManyCreate", lets_one_of_many_create},
      {"LetsOneOfManyReplace", lets_one_of_many_replace},
      {"LosesNoUpdate", loses_no_update},
      {"ShowsNoReaderHalfAWrite", shows_no_reader_half_a_write},
      {"PutsBesideRemovals", puts_beside_removals},
  };
}

}  // namespace tidemark::blob
