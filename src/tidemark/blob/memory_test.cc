#include "tidemark/blob/memory.h"

#include <gtest/gtest.h>

namespace tidemark::blob {
namespace {

TEST(MemoryStore, TellsTheTimeOfItsClock) {
  ManualClock clock(Time(std::chrono::seconds(1'700'000'000)));
  const auto store = make_memory_store(clock);
  EXPECT_EQ(store->store_time(), clock.now());
  clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(store->store_time(), clock.now());
}

}  // namespace
}  // namespace tidemark::blob
